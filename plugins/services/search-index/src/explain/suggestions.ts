import { literal, mistakenGlob } from '@sextant/contracts';
import type { FoundFile, Query } from '@sextant/contracts';
import { didYouMean, escapeRegExp } from '@sextant/core';
import { identifierParts } from '@sextant/library-ranking';

/** The best files of a part of a query in the places that the query names: one, or as many as given. */
export type FindsBest = (part: Query, files?: number) => Promise<readonly FoundFile[]>;

/** Files from which similar words are read. */
const filesOfWords = 20;

/**
 * What may be meant by a part of a query that nothing matches: a sentence to append to another, or nothing. Similar words are
 * looked for only where `isNarrow`: in a large text that takes much longer than the word itself.
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

/** The name of the file that an expression is about, where folders stand before it. */
const nameIn = (pattern: string): string =>
  /\/([\w.-]{3,})\$?$/.exec(pattern.replaceAll(String.raw`\.`, '.'))?.[1] ?? '';

/** The paths of files with that name. */
async function pathsLike(pattern: string, find: FindsBest): Promise<string[]> {
  const name = escapeRegExp(nameIn(pattern));
  return name === '' ? [] : (await find({ kind: 'file', pattern: `/${name}$|^${name}$` })).map(({ path }) => path);
}

/** What a text that stands nowhere means in another notation: a sentence to append to another, or nothing. */
async function otherwiseWritten(text: string, find: FindsBest): Promise<string> {
  for (const told of [lineOf, pathsOf, memberOf]) {
    const sentence = await told(text, find);
    if (sentence !== '') return sentence;
  }
  return '';
}

/** A path with a line number, as compilers and stack traces write it. */
const linePlace = /^\(?([\w@~+.\\/-]*\.\w+):(\d+)(?::\d+)?\)?:?$/;
/** As many leading folders may be those of another machine. */
const mostFolders = 12;

/** The file that a path with a line number means: the one that shares most folders with it. */
async function lineOf(text: string, find: FindsBest): Promise<string> {
  const [, path = '', line = ''] = linePlace.exec(text) ?? [];
  const names = path.split(/[\\/]+/).filter((name) => name !== '' && name !== '.');
  for (let from = Math.max(0, names.length - mostFolders); from < names.length; from += 1) {
    const end = escapeRegExp(names.slice(from).join('/'));
    const [file] = await find({ kind: 'file', pattern: `(^|/)${end}$` });
    if (file) return ` Lines are not found by their numbers; read_file shows line ${line} of "${file.path}".`;
  }
  return '';
}

/** Paths that a glob matches. */
async function pathsOf(text: string, find: FindsBest): Promise<string> {
  const pattern = text.includes('*') ? mistakenGlob(text)?.expression : undefined;
  const isGlob = pattern !== undefined && (await find({ kind: 'file', pattern })).length > 0;
  return isGlob ? ` "${text}" was looked for as it stands; write file:${pattern} for paths like it.` : '';
}

/**
 * A qualified member, as messages and stack traces write it: `hudson.model.Queue.maintain`, `Queue::maintain()`. A last part of
 * two letters is more likely a file extension.
 */
const qualified = /^(?:\w+(?:::|\.))*([A-Za-z_]\w*)(?:::|->|\.|#)([A-Za-z_]\w{2,})(?:\(.*)?$/s;

/** A file with both names. Where a member is defined, its name rarely follows that of its class directly. */
async function memberOf(text: string, find: FindsBest): Promise<string> {
  const names = qualified.exec(text)?.slice(1) ?? [];
  if (names.length === 0) return '';
  const [file] = await find({ kind: 'and', children: names.map((name) => literal(name)) });
  return file ? ` "${names.join('" and "')}" both stand in ${file.repo} – ${file.path}; search for them apart.` : '';
}

/** A query for words similar to a given one, and an expression that finds these words in the result. */
interface SimilarWords {
  readonly query: Query;
  readonly word: RegExp;
}

const wordsIn = (files: readonly FoundFile[], word: RegExp): string[] =>
  files.flatMap(({ path, matches }) => [
    ...matches.flatMap(({ text, ranges }) => ranges.map(([start, end]) => text.slice(start, end))),
    ...(path.match(word) ?? []),
  ]);

const inAnyCase = (text: string): SimilarWords => ({
  query: literal(text),
  word: new RegExp(escapeRegExp(text), 'gi'),
});

/** Names of the same parts in other notations: `build_many` for `buildMany`. None for a name of one part. */
function joinedOtherwise(name: string): SimilarWords[] {
  const parts = /^[\w-]+$/.test(name) ? identifierParts(name) : [];
  const texts = parts.length > 1 ? ['_', '', '-'].map((sign) => parts.join(sign)) : [];
  return texts.filter((text) => text !== name.toLowerCase()).map(inAnyCase);
}

/** Lengths of names that are searched by halves. Half of a shorter name has no trigram. */
const [shortest, longest] = [6, 40];

/**
 * Words of about the same length that share a half with a name, which the index can look up. Also the word with the two
 * letters between the halves swapped. Empty if it is no name.
 */
function withHalf(name: string): SimilarWords[] {
  if (!/^\w+$/.test(name) || name.length < shortest || name.length > longest) return [];
  const half = Math.ceil(name.length / 2);
  const [start, end] = [name.slice(0, half), name.slice(half)];
  const swapped = start.slice(0, -1) + end.slice(0, 1) + start.slice(-1) + end.slice(1);
  // An alternative for each letter that may be wrong would take longer to compile than to search.
  const pattern = `\\b(?:${start}${asLongAs(end)}|${asLongAs(start)}${end}|${swapped})\\b`;
  return [{ query: { kind: 'regex', pattern, isCaseSensitive: false }, word: new RegExp(pattern, 'gi') }];
}

const asLongAs = ({ length }: string): string => `\\w{${length - 1},${length + 1}}`;
