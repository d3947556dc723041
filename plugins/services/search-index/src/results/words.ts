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
}

/** Most words of a question that are looked for. */
const maxWords = 24;

/**
 * The words of a question by which code is found, each form once: stop words are left out unless there is nothing else, and
 * an identifier counts as a whole and by its parts.
 */
export function queryWords(text: string): QueryWord[] {
  const weights = new Map<string, number>();
  const add = (prefix: string, weight: number): void =>
    void weights.set(prefix, Math.max(weight, weights.get(prefix) ?? 0));
  const tokens = text.split(/[^\p{L}\p{N}_$.-]+/u).flatMap((token) => token.replace(/^[.\-$]+|[.\-$]+$/g, '') || []);
  for (const token of tokens) {
    const parts = identifierParts(token);
    const isCompound = parts.length > 1;
    if (isCompound) add(token.toLowerCase(), 1.5);
    for (const part of parts) if (!stopWords.has(part) && part.length > 1) add(stem(part), isCompound ? 0.7 : 1);
  }
  if (weights.size === 0) for (const token of tokens) add(token.toLowerCase(), 1);
  return [...weights].slice(0, maxWords).map(([prefix, weight]) => ({ prefix, weight }));
}
