import type { FoundFile, Query } from '@sextant/contracts';
import { mistakenGlob } from '@sextant/contracts';

/** The best files of a part of a query, where all of it is searched: one, or so many. */
export type FindsBest = (part: Query, files?: number) => Promise<readonly FoundFile[]>;

/** What a text that stands nowhere is the name of, as others write it: a sentence to be put behind another, or nothing. */
export async function otherwiseWritten(text: string, find: FindsBest): Promise<string> {
  for (const told of [lineOf, pathsOf, memberOf]) {
    const sentence = await told(text, find);
    if (sentence !== '') return sentence;
  }
  return '';
}

/** A path with the number of a line, as compilers and stack traces write it. */
const linePlace = /^\(?([\w@~+.\\/-]*\.\w+):(\d+)(?::\d+)?\)?:?$/;
/** So many folders before a name may be those of another machine. */
const mostFolders = 12;

/** Where a line is that a text names by its number: the file that has most of its folders. */
async function lineOf(text: string, find: FindsBest): Promise<string> {
  const [, path = '', line = ''] = linePlace.exec(text) ?? [];
  const names = path.split(/[\\/]+/).filter((name) => name !== '' && name !== '.');
  for (let from = Math.max(0, names.length - mostFolders); from < names.length; from += 1) {
    const end = names.slice(from).join('/').replaceAll(/[.+]/g, String.raw`\$&`);
    const [file] = await find({ kind: 'file', pattern: `(^|/)${end}$` });
    if (file) return ` Lines are not found by their numbers; read_file shows line ${line} of "${file.path}".`;
  }
  return '';
}

/** Paths that a glob names: as text it would have to stand in a file. */
async function pathsOf(text: string, find: FindsBest): Promise<string> {
  const pattern = text.includes('*') ? mistakenGlob(text)?.expression : undefined;
  const isGlob = pattern !== undefined && (await find({ kind: 'file', pattern })).length > 0;
  return isGlob ? ` "${text}" was looked for as it stands; write file:${pattern} for paths like it.` : '';
}

/**
 * A member behind the name of what has it, as messages and stack traces write it: `hudson.model.Queue.maintain`, `Queue::maintain()`. Two
 * letters are rather the end of a file's name.
 */
const qualified = /^(?:\w+(?:::|\.))*([A-Za-z_]\w*)(?:::|->|\.|#)([A-Za-z_]\w{2,})(?:\(.*)?$/s;

/** Where both names stand: code seldom has the one right behind the other where the member is defined. */
async function memberOf(text: string, find: FindsBest): Promise<string> {
  const names = qualified.exec(text)?.slice(1) ?? [];
  if (names.length === 0) return '';
  const [file] = await find({ kind: 'and', children: names.map((name) => wordOf(name)) });
  return file ? ` "${names.join('" and "')}" both stand in ${file.repo} – ${file.path}; search for them apart.` : '';
}

const wordOf = (text: string): Query => ({ kind: 'literal', text, isCaseSensitive: false });
