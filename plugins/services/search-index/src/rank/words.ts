import { MAX_LITERAL_BYTES } from '@sextant/library-block-index';
import { piecesIn, runsIn } from '@sextant/library-search-results';
import type { PathClass, Run } from '@sextant/library-search-results';
import { stemmer } from 'stemmer';
import { projectQuestion } from './project-questions.ts';
import { unspacedWords } from './unspaced-words.ts';

/** Words that questions have and code is not found by. */
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

/** What a question begins with, and no message. */
const asks =
  /^(?:how|what|when|where|which|who|why) (?:are|can|could|did|do|does|has|have|is|must|should|was|were|will|would)\b/;

/** No stem is shorter: what is shorter begins other words, too. */
const leastStem = 4;

/** What the forms of an English word begin with: `parsing` and `parsed` become pars, `retries` and `retry` retr. */
export function stem(word: string): string {
  // The algorithm of Porter writes some ends anew (`retri` for `retry`); what is looked for must stand in the text.
  const base = stemmer(word).replace(/i$/, '');
  let length = 0;
  while (length < base.length && base[length] === word[length]) length += 1;
  return length >= leastStem ? word.slice(0, length) : word;
}

export interface QueryWord {
  /** What words of the text begin with, in any case. */
  readonly prefix: string;
  readonly weight: number;
  /** It matters that it is there, not how often. */
  readonly isExact: boolean;
  /** It names a file the more the fewer folders that is in. */
  readonly isShallow?: boolean;
  /** Files of this class are asked for. */
  readonly wants?: PathClass;
}

/** Most words of a question that are looked for. */
const maxWords = 24;
/** Of fewer words nothing is taken for a message. */
const leastOfMessage = 4;
/** Of what stands between the values of a message, two words are enough: where they stand in much, they are worth little. */
const leastOfPiece = 2;
/** So many words stand nowhere by chance. */
const leastOfSentence = 5;
/** So much of a word count: what is quoted as a whole, two words of it, an identifier, and each word of what stands between the values of a message. */
const [phraseWeight, pairWeight, identifierWeight, pieceWeight] = [5, 1, 2, 2];
/** What a name of a type that seems to be in the plural counts besides its singular: it may end with an `s` of its own. */
const pluralWeight = 0.5;
/**
 * The name of a file with the folder before it, as compilers and stack traces write it: more folders may be of another machine. It begins
 * where a name does: a long one would be gone through from each of its characters.
 */
const placeInText = /(?<![\w@~+.-])[\w@~+.-]+[\\/][\w@~+-][\w@~+.-]*\.\w+(?![\w\\/])/g;
/** So many files of a trace are looked for: the words of a message need room, too. */
const mostPlaces = 4;

/**
 * The words of a question by which code is found, each form once: stop words are left out unless there is nothing else, and
 * an identifier counts as a whole and by its parts, and a path by its last folder and name. Of `phrases` the words count also as they
 * stand there. A message may be pasted without quotes, so all of a text does, and what stands between its values; a question stands
 * nowhere as it is asked, nor does what it begins with (`where does` of "where does C++ call it"). The projects that may be meant have `names`,
 * in lower case.
 */
export function queryWords(
  texts: readonly string[],
  phrases: readonly string[] = [],
  names: ReadonlySet<string> = new Set(),
): QueryWord[] {
  const words = new Words();
  const messages = texts.filter((text) => text.split(/\s+/).length >= leastOfMessage);
  const wholes = phrases.length > 0 ? phrases : messages;
  for (const run of wholes.flatMap((phrase) => runsIn(phrase))) words.add(run, phraseWeight, true);
  for (const piece of messages.flatMap((text) => piecesIn(text, leastOfPiece)))
    words.add(piece.text, weightOf(piece), true);
  for (const place of placesIn(texts.join(' '))) words.add(place, phraseWeight, true);
  const ofProject = projectQuestion(texts.join(' '), names);
  for (const word of ofProject.words) words.addWord(word);
  if (!words.addSingle(ofProject.rest) && ofProject.words.length === 0) words.addStopWords(ofProject.rest);
  // Where a message that one sees has a value, the one in code has something else.
  for (const pair of phrases.flatMap((phrase) => runsIn(phrase, 2))) words.add(pair, pairWeight, true);
  return words.list.slice(0, maxWords);
}

/** Two words with one that says nothing stand anywhere (`in bevy` of "how do I use `ParamSet` in bevy"), and a question nowhere. */
function weightOf({ text, words }: Run): number {
  if (asks.test(text)) return 0;
  const isWeak = words <= leastOfPiece && text.split(' ').some((word) => stopWords.has(word));
  if (isWeak) return pairWeight;
  return words < leastOfSentence ? Math.min(phraseWeight, words * pieceWeight) : words * pieceWeight;
}

const placesIn = (text: string): string[] =>
  (text.match(placeInText) ?? []).slice(0, mostPlaces).map((place) => place.toLowerCase().replace('\\', '/'));

/** An identifier, and the compound ones that it is made of: of `Queue.canTake` the second stands by itself where it is defined. */
const namesIn = (token: string): string[] => [
  token,
  ...token.split(/[.$]+/).filter((name) => identifierParts(name).length > 1),
];

const tokensOf = (text: string): string[] =>
  text.split(/[^\p{L}\p{N}_$.-]+/u).flatMap((token) => token.replace(/^[.\-$]+|[.\-$]+$/g, '') || []);

/** The name of a type in the plural, as in "how are ReplicaSets kept"; the plural begins with it. */
const singular = (name: string): string => (/^\p{Lu}.*[^s]s$/u.test(name) ? name.slice(0, -1) : name);

class Words {
  readonly #byPrefix = new Map<string, QueryWord>();

  get list(): QueryWord[] {
    return [...this.#byPrefix.values()];
  }

  /** What is too long to be looked for stands nowhere. */
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
      for (const part of parts) if (!stopWords.has(part) && part.length > 1) this.add(stem(part), isCompound ? 0.7 : 1);
    }
    return this.#byPrefix.size > sizeBefore;
  }

  addStopWords(text: string): void {
    for (const token of tokensOf(text)) this.add(token.toLowerCase(), 1);
  }

  #addName(name: string): void {
    this.add(singular(name).toLowerCase(), identifierWeight, true);
    this.add(name.toLowerCase(), pluralWeight, true);
  }
}
