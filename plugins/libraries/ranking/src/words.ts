import { stemmer } from 'stemmer';

const wordsOf = (text: string): Set<string> => new Set(text.split(/\s+/));

/** Words that tell nothing of the place. */
const stopWords = wordsOf(
  `a about above across actually after again all also am an and any are as at be because been before being below between both but
by can cannot class could defined did do does doing don down during each either else etc even ever every few for from function
functions further get gets getting give given gives go goes going got had handle handled handles happen happens has have having
he her here how however i if implement implementation implemented implements in instead into is it its itself just let like many
may maybe me method might more most much must my neither nor not now of off ok on once one only onto or other otherwise our out
over own per please same see seem seems shall she should since so some something such sure tell than that the their them then
there these they this those though through thus to too under until up upon us use used uses using very via want wants was way we
well were what when where whether which while who whom whose why will with within without would yes yet you your
的 是 了 在 和 与 或 给 把 被 吗 呢 吧 我 你 它 有 会 要 能 到 从 对 为 这 那 哪 何 如何 怎么 怎样 什么 哪里
哪儿 哪个 哪些 为什么 为何 是否 可以 何处 いつも どうやって について どうして どのように ください できます しています します
されます`,
);

/** Words of those who ask, or who order a change. They say what is wanted, seldom where. */
const weakWords = wordsOf(
  `add added adding adds allow allows avoid bug change changed changes check clean cleanup code correct correctly
currently enable ensure example feature file files find fix fixed fixes fixing improve introduce issue kind list
locate look looking make makes minor missing move need new old part place possible prevent problem proper properly
provide purpose refactor remove removed removes rename replace return returns rework set show simplify small support
supported supports test tests typo unused update updated updates work works wrong`,
);

export const isStopWord = (word: string): boolean =>
  stopWords.has(word) || (word.length < 2 && /^[\p{ASCII}]$/u.test(word));
export const isWeakWord = (word: string): boolean => weakWords.has(word);

/** The words of an identifier or text in lower case: `parseHTTPConfig_v2` has parse, http, config and v2. */
export const identifierParts = (text: string): string[] =>
  text
    .replaceAll(/(\p{Lu}+)(\p{Lu}\p{Ll})/gu, '$1 $2')
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .flatMap((part) => (unspaced.test(part) ? unspacedWords(part) : part === '' ? [] : [part]));

/** A shorter word is its own stem. */
const leastStemmed = 4;

/** What the forms of an English word have in common: `store`, `stored` and `storing` have stor. */
export const stem = (word: string): string => (word.length < leastStemmed ? word : stemmer(word).replace(/[ie]$/, ''));

/** What the forms of a word begin with, to be looked for in texts: `parsing` and `parsed` become pars, `retries` and `retry` retr. */
export function searchedStem(word: string): string {
  // Porter's algorithm changes some endings (`retri` for `retry`), but a stem must stand in the text.
  const base = stemmer(word).replace(/i$/, '');
  let length = 0;
  while (length < base.length && base[length] === word[length]) length += 1;
  // A shorter stem would begin other words, too.
  return length >= leastStemmed ? word.slice(0, length) : word;
}

/** Neighbouring words that one name is made of. */
const joinedCounts = [2, 3];

/**
 * Names that neighbouring words of a text may make up: of `unit of work` unitofwork and unit_of_work. A name begins and ends with a
 * word that tells something. `words` are in lower case.
 */
export function compoundsIn(words: readonly string[]): string[] {
  const runs = words.flatMap((_, from) => joinedCounts.map((count) => words.slice(from, from + count)));
  const names = runs
    .filter((run) => run.length > 1 && tells(run[0]) && tells(run.at(-1)))
    .map((run) => [...run.slice(0, -1), searchedStem(run.at(-1) ?? '')]);
  return [...new Set(names.flatMap((run) => [run.join(''), run.join('_')]))];
}

const tells = (word: string | undefined): boolean => word !== undefined && !isStopWord(word);

/** Scripts that are written without spaces. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const oneHan = /^\p{Script=Han}$/u;
/** Particles and endings of Japanese: words with a meaning of their own are longer, or have other characters. */
const ending = /^\p{Script=Hiragana}{1,3}$/u;
/** Made when it is first needed, since its dictionary takes some milliseconds to open. */
let segmenter: Intl.Segmenter | undefined;

/** The words of what is written without spaces: `正規表現でマッチする` has 正規, 表現 and マッチ. */
function unspacedWords(text: string): string[] {
  segmenter ??= new Intl.Segmenter('ja', { granularity: 'word' });
  return joined([...segmenter.segment(text)].map(({ segment }) => segment));
}

/** Characters that are no word of the dictionary by themselves are one together: 鉴 and 权 are 鉴权. */
function joined(segments: readonly string[]): string[] {
  const words = [''];
  let isOpen = false;
  for (const segment of segments.map((text) => (stopWords.has(text) || ending.test(text) ? '' : text))) {
    const isOne = oneHan.test(segment);
    words.push(isOne && isOpen ? `${words.pop()}${segment}` : segment);
    isOpen = isOne;
  }
  return words.filter((word) => word !== '');
}
