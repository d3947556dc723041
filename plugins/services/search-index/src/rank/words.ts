import { MAX_LITERAL_BYTES } from '@sextant/library-block-index';
import { piecesIn, runsIn } from '@sextant/library-ranking';
import type { PathClass, Run } from '@sextant/library-ranking';
import { stemmer } from 'stemmer';
import { projectQuestion } from './project-questions.ts';
import { questionLimits, wordWeights } from './weights.ts';

/** Words of questions by which no code is found. */
const stopWords = new Set(
  `a about actually after all also am an and any are as at be because been being but by can code could did do does doing
for find from get gets getting give had has have having how i if in into is it its just kind let like list look looking make
makes many me more most much my need not of off on one only or other our out over own place please part purpose same
shall she should show so some something such tell than that the their them then there these they this those through to too
under up us use used uses using very was way we well were what when where which while who whom whose why will with
within without work works would you your file files function functions method class implemented implementation defined
happen happens handle handled handles`.split(/\s+/),
);

/** Parts of an identifier in lower case: `parseHTTPConfig_v2` has parse, http, config, v2. */
export const identifierParts = (word: string): string[] =>
  word
    .replaceAll(/(\p{Lu}+)(\p{Lu}\p{Ll})/gu, '$1 $2')
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part !== '');

/** Begins a question, and no message. */
const asks =
  /^(?:how|what|when|where|which|who|why) (?:are|can|could|did|do|does|has|have|is|must|should|was|were|will|would)\b/;

/** A shorter stem would begin other words, too. */
const leastStem = 4;

/** What the forms of an English word begin with: `parsing` and `parsed` become pars, `retries` and `retry` retr. */
export function stem(word: string): string {
  // Porter's algorithm changes some endings (`retri` for `retry`), but a stem must stand in the text.
  const base = stemmer(word).replace(/i$/, '');
  let length = 0;
  while (length < base.length && base[length] === word[length]) length += 1;
  return length >= leastStem ? word.slice(0, length) : word;
}

export interface QueryWord {
  /** What words of a text begin with, in any case. */
  readonly prefix: string;
  readonly weight: number;
  /** It matters only that it is there. */
  readonly isExact: boolean;
  /** It names a file the more the fewer folders are above it. */
  readonly isShallow?: boolean;
  /** Files of this class are asked for. */
  readonly wants?: PathClass;
}

/** Fewer words are no message. */
const leastOfMessage = 4;
/** Two words between the values of a message are enough: if many files have them, they weigh little. */
const leastOfPiece = 2;
/** So many words stand together nowhere by chance. */
const leastOfSentence = 5;
/**
 * A file with its folder, as compilers and stack traces write it: folders above may be those of another machine. The look-behind keeps it linear: a
 * long name is not tried from each of its characters.
 */
const placeInText = /(?<![\w@~+.-])[\w@~+.-]+[\\/][\w@~+-][\w@~+.-]*\.\w+(?![\w\\/])/g;
/** Files of a stack trace that are looked for. The words of its message need room, too. */
const mostPlaces = 4;

/**
 * The words of a question by which code is found, each stem once.
 * - Stop words are left out, unless there is nothing else.
 * - An identifier counts as a whole and by its parts, and a path by its file and folder.
 * - `phrases` count as they stand there, too. So does a text that may be a pasted message, and what stands between its values.
 * - What a question begins with (`where does`) stands nowhere.
 * `names` are those of the projects that may be meant, in lower case.
 */
export function queryWords(
  texts: readonly string[],
  phrases: readonly string[] = [],
  names: ReadonlySet<string> = new Set(),
): QueryWord[] {
  const words = new Words();
  const messages = texts.filter((text) => text.split(/\s+/).length >= leastOfMessage);
  const wholes = phrases.length > 0 ? phrases : messages;
  for (const run of wholes.flatMap((phrase) => runsIn(phrase))) words.add(run, wordWeights.quoted, true);
  for (const piece of messages.flatMap((text) => piecesIn(text, leastOfPiece)))
    words.add(piece.text, weightOf(piece), true);
  for (const place of placesIn(texts.join(' '))) words.add(place, wordWeights.quoted, true);
  const ofProject = projectQuestion(texts.join(' '), names);
  for (const word of ofProject.words) words.addWord(word);
  if (!words.addSingle(ofProject.rest) && ofProject.words.length === 0) words.addStopWords(ofProject.rest);
  // Where a message has a value, its text in code has something else: pairs of words match around it.
  for (const pair of phrases.flatMap((phrase) => runsIn(phrase, 2))) words.add(pair, wordWeights.pair, true);
  return words.list.slice(0, questionLimits.words);
}

/** Two words of which one is a stop word stand anywhere (`in bevy`), and the start of a question nowhere. */
function weightOf({ text, words }: Run): number {
  if (asks.test(text)) return 0;
  const isWeak = words <= leastOfPiece && text.split(' ').some((word) => stopWords.has(word));
  if (isWeak) return wordWeights.pair;
  return words < leastOfSentence
    ? Math.min(wordWeights.quoted, words * wordWeights.ofMessage)
    : words * wordWeights.ofMessage;
}

const placesIn = (text: string): string[] =>
  (text.match(placeInText) ?? []).slice(0, mostPlaces).map((place) => place.toLowerCase().replace('\\', '/'));

/** An identifier, and the compound names in it: `canTake` of `Queue.canTake` stands alone where it is defined. */
const namesIn = (token: string): string[] => [
  token,
  ...token.split(/[.$]+/).filter((name) => identifierParts(name).length > 1),
];

const tokensOf = (text: string): string[] =>
  text.split(/[^\p{L}\p{N}_$.-]+/u).flatMap((token) => token.replace(/^[.\-$]+|[.\-$]+$/g, '') || []);

/** The singular of a type's name (`ReplicaSets`); the plural begins with it. */
const singular = (name: string): string => (/^\p{Lu}.*[^s]s$/u.test(name) ? name.slice(0, -1) : name);

class Words {
  readonly #byPrefix = new Map<string, QueryWord>();

  get list(): QueryWord[] {
    return [...this.#byPrefix.values()];
  }

  /** Texts that are too long for the index are left out. */
  add(prefix: string, weight: number, isExact = false): void {
    if (Buffer.byteLength(prefix) > MAX_LITERAL_BYTES) return;
    this.addWord({ prefix, weight, isExact });
  }

  addWord(word: QueryWord): void {
    if (word.weight > (this.#byPrefix.get(word.prefix)?.weight ?? 0)) this.#byPrefix.set(word.prefix, word);
  }

  /** Words by themselves, and identifiers with their parts; answers whether there are any. */
  addSingle(text: string): boolean {
    const sizeBefore = this.#byPrefix.size;
    for (const token of tokensOf(text)) {
      const parts = identifierParts(token).flatMap(unspacedWords);
      const isCompound = parts.length > 1;
      if (isCompound) for (const name of namesIn(token)) this.#addName(name);
      for (const part of parts)
        if (!stopWords.has(part) && part.length > 1)
          this.add(stem(part), isCompound ? wordWeights.ofIdentifier : wordWeights.single);
    }
    return this.#byPrefix.size > sizeBefore;
  }

  addStopWords(text: string): void {
    for (const token of tokensOf(text)) this.add(token.toLowerCase(), wordWeights.single);
  }

  #addName(name: string): void {
    this.add(singular(name).toLowerCase(), wordWeights.identifier, true);
    this.add(name.toLowerCase(), wordWeights.plural, true);
  }
}

/** Scripts that are written without spaces. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const oneHan = /^\p{Script=Han}$/u;
/** Particles and endings of Japanese: words with a meaning of their own are longer, or have other characters. */
const ending = /^\p{Script=Hiragana}{1,3}$/u;
/** Words of questions by which no code is found. */
const unspacedStopWords = new Set(
  `的 是 了 在 和 与 或 给 把 被 吗 呢 吧 我 你 它 有 会 要 能 到 从 对 为 这 那 哪 何 如何 怎么 怎样 什么 哪里 哪儿 哪个 哪些 为什么
为何 是否 可以 何处 いつも どうやって について どうして どのように ください できます しています します されます`.split(
    /\s+/,
  ),
);
/** Made when it is first needed, since its dictionary takes some milliseconds to open. */
let segmenter: Intl.Segmenter | undefined;

/** The words of what may be written without spaces (`正規表現でマッチする` has 正規, 表現 and マッチ); of another script the text itself. */
function unspacedWords(text: string): string[] {
  if (!unspaced.test(text)) return [text];
  segmenter ??= new Intl.Segmenter('ja', { granularity: 'word' });
  return joined([...segmenter.segment(text)].map(({ segment }) => segment));
}

/** Characters that are no word of the dictionary by themselves are one together: 鉴 and 权 are 鉴权. */
function joined(segments: readonly string[]): string[] {
  const words = [''];
  let isOpen = false;
  for (const segment of segments.map((text) => (unspacedStopWords.has(text) || ending.test(text) ? '' : text))) {
    const isOne = oneHan.test(segment);
    words.push(isOne && isOpen ? `${words.pop()}${segment}` : segment);
    isOpen = isOne;
  }
  return words.filter((word) => word !== '');
}
