import type { FoundFile } from '@sextant/contracts';
import { didYouMean } from '@sextant/core';
import type { Query } from '@sextant/library-query';
import { inAnyCase, joinedOtherwise, withHalf } from './near-words.ts';

/** So many files tell the words that are like another one. */
const filesOfWords = 20;

/** The best files of a part of a query, where all of it is searched: one, or so many. */
type FindsBest = (part: Query, files?: number) => Promise<readonly FoundFile[]>;

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
  const place = await placeIn(text, find);
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

/** A path with the number of a line, as compilers and stack traces write it. */
const linePlace = /^\(?([\w@~+.\\/-]*\.\w+):(\d+)(?::\d+)?\)?:?$/;
/** So many folders before a name may be those of another machine. */
const mostFolders = 12;

/** Where a line is that a text names by its number: the file that has most of its folders. */
async function placeIn(text: string, find: FindsBest): Promise<string> {
  const [, path = '', line = ''] = linePlace.exec(text) ?? [];
  const names = path.split(/[\\/]+/).filter((name) => name !== '' && name !== '.');
  for (let from = Math.max(0, names.length - mostFolders); from < names.length; from += 1) {
    const end = names.slice(from).join('/').replaceAll(/[.+]/g, String.raw`\$&`);
    const [file] = await find({ kind: 'file', pattern: `(^|/)${end}$` });
    if (file) return ` Lines are not found by their numbers; read_file shows line ${line} of "${file.path}".`;
  }
  return '';
}

/** The name of the file that an expression is about, where that has folders before it. */
const nameIn = (pattern: string): string =>
  /\/([\w.-]{3,})\$?$/.exec(pattern.replaceAll(String.raw`\.`, '.'))?.[1] ?? '';

/** Where files of that name are. */
async function pathsLike(pattern: string, find: FindsBest): Promise<string[]> {
  const name = nameIn(pattern).replaceAll('.', String.raw`\.`);
  return name === '' ? [] : (await find({ kind: 'file', pattern: `/${name}$|^${name}$` })).map(({ path }) => path);
}
