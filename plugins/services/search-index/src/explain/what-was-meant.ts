import type { FoundFile, Query } from '@sextant/contracts';
import { didYouMean } from '@sextant/core';
import { inAnyCase, joinedOtherwise, withHalf } from './near-words.ts';
import { otherwiseWritten } from './otherwise-written.ts';
import type { FindsBest } from './otherwise-written.ts';

/** So many files tell the words that are like another one. */
const filesOfWords = 20;

/**
 * What may be meant by a part of a query that nothing fulfils: a sentence to be put behind another, or nothing. Words that are like it
 * are looked for only where `isNarrow`: in a gigabyte that takes some times as long as the word itself.
 */
export async function whatWasMeant(
  part: Query,
  { find, isNarrow }: { find: FindsBest; isNarrow: boolean },
): Promise<string> {
  if (part.kind === 'file') return didYouMean(nameIn(part.pattern), await pathsLike(part.pattern, find));
  if (part.kind !== 'literal') return '';
  const { text } = part;
  const place = await otherwiseWritten(text, find);
  if (place !== '') return place;
  if (/\s/.test(text)) return ' Without quotes the words may stand anywhere in a file.';
  const plain = text.replaceAll(/\\(?=[^\w\s])/g, '');
  if (plain !== text && (await find({ ...part, text: plain })).length > 0)
    return ` A backslash is looked for as it stands; did you mean "${plain}"?`;
  const ways = [
    ...(part.isCaseSensitive ? [inAnyCase(text)] : []),
    ...(isNarrow ? [...joinedOtherwise(text), ...withHalf(text)] : []),
  ];
  for (const { query, word } of ways) {
    const near = didYouMean(text, wordsIn(await find(query, filesOfWords), word));
    if (near !== '') return near;
  }
  return isNarrow
    ? ''
    : ' Try a part of the word, or name the repository with repo: to be told of words that are like it.';
}

const wordsIn = (files: readonly FoundFile[], word: RegExp): string[] =>
  files.flatMap(({ path, matches }) => [
    ...matches.flatMap(({ text, ranges }) => ranges.map(([start, end]) => text.slice(start, end))),
    ...(path.match(word) ?? []),
  ]);

/** The name of the file that an expression is about, where that has folders before it. */
const nameIn = (pattern: string): string =>
  /\/([\w.-]{3,})\$?$/.exec(pattern.replaceAll(String.raw`\.`, '.'))?.[1] ?? '';

/** Where files of that name are. */
async function pathsLike(pattern: string, find: FindsBest): Promise<string[]> {
  const name = nameIn(pattern).replaceAll('.', String.raw`\.`);
  return name === '' ? [] : (await find({ kind: 'file', pattern: `/${name}$|^${name}$` })).map(({ path }) => path);
}
