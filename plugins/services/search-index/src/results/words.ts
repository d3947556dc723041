import { stemmer } from 'stemmer';

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
}

/** Most words of a question that are looked for. */
const maxWords = 24;
/** Of fewer words nothing is taken for a message. */
const leastOfMessage = 4;
/** What is quoted as a whole, two words of it, and an identifier count so much of a word. */
const [phraseWeight, pairWeight, identifierWeight] = [5, 1, 2];

/**
 * The words of a question by which code is found, each form once: stop words are left out unless there is nothing else, and
 * an identifier counts as a whole and by its parts. Of `phrases` the words count also as they stand there, and where nothing is
 * quoted, all of it: a message may be pasted without quotes, and a question stands nowhere as it is asked.
 */
export function queryWords(text: string, phrases: readonly string[] = []): QueryWord[] {
  const words = new Map<string, QueryWord>();
  const add = (prefix: string, weight: number, isExact = false): void => {
    if (weight > (words.get(prefix)?.weight ?? 0)) words.set(prefix, { prefix, weight, isExact });
  };
  const isMessage = phrases.length === 0 && text.split(/\s+/).length >= leastOfMessage;
  for (const run of (isMessage ? [text] : phrases).flatMap((phrase) => runsIn(phrase))) add(run, phraseWeight, true);
  const tokens = text.split(/[^\p{L}\p{N}_$.-]+/u).flatMap((token) => token.replace(/^[.\-$]+|[.\-$]+$/g, '') || []);
  for (const token of tokens) {
    const parts = identifierParts(token);
    const isCompound = parts.length > 1;
    if (isCompound) add(token.toLowerCase(), identifierWeight, true);
    for (const part of parts) if (!stopWords.has(part) && part.length > 1) add(stem(part), isCompound ? 0.7 : 1);
  }
  if (words.size === 0) for (const token of tokens) add(token.toLowerCase(), 1);
  // Where a message that one sees has a value, the one in code has something else.
  for (const pair of phrases.flatMap((phrase) => runsIn(phrase, 2))) add(pair, pairWeight, true);
  return [...words.values()].slice(0, maxWords);
}

/** So many words side by side, of the lines of a phrase that have several; all of a line unless said. */
function runsIn(phrase: string, length?: number): string[] {
  return phrase.split(/\r?\n/).flatMap((line) => {
    const words = [...line.matchAll(/[\p{L}\p{N}_]+/gu)];
    const ends = words.length > 1 ? words.slice((length ?? words.length) - 1) : [];
    return ends.map((last, first) => line.slice(words[first]?.index, last.index + last[0].length).toLowerCase());
  });
}
