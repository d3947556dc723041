import { stemmer } from 'stemmer';
import { isStopWord, stopWords } from './stop-words.ts';

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
