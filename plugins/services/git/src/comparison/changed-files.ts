import { isUtf8 } from 'node:buffer';
import type { ChangeStatus, FileChange } from '@sextant/contracts';
import { Turn } from '@sextant/core';
import { rawChange } from '../objects/listings.ts';

/** One file of a comparison, before its hunks are read. */
export interface ChangedFile extends Omit<FileChange, 'hunks' | 'isTruncated'> {
  readonly oldId: string;
  readonly newId: string;
  /** Whether `path` is the exact name: one that is no UTF-8, or too long, cannot be told to git as an argument. */
  readonly isExact: boolean;
}

const statuses: Readonly<Record<string, ChangeStatus>> = {
  A: 'added',
  D: 'deleted',
  M: 'modified',
  R: 'renamed',
  C: 'copied',
  T: 'type-changed',
};
const absent = '000000';

/** Of all comparisons together; what other callers wait for needs several turns of the event loop. */
const turn = new Turn(4);
/** Files that are parsed before others get the event loop. */
const filesAtOnce = 500;

/** Parses what `git diff-tree -r -z --raw --numstat` prints: all raw records, then all counts (if asked for), both in one order. */
export async function parseChangedFiles(output: Buffer, mostPathBytes: number): Promise<ChangedFile[]> {
  const tokens = new Tokens(output);
  const raw: Omit<ChangedFile, 'added' | 'deleted' | 'isBinary'>[] = [];
  while (tokens.startsWith(':')) {
    if (raw.length % filesAtOnce === 0) await turn.share();
    raw.push(parseRaw(tokens, mostPathBytes));
  }
  const files: ChangedFile[] = [];
  for (const file of raw) {
    if (files.length % filesAtOnce === 0) await turn.share();
    files.push({ ...file, ...parseCounts(tokens) });
  }
  return files;
}

function parseRaw(tokens: Tokens, mostPathBytes: number): Omit<ChangedFile, 'added' | 'deleted' | 'isBinary'> {
  const { oldMode, mode: newMode, oldId, id: newId, status: letter } = rawChange(tokens.next().toString());
  const status = statuses[letter.charAt(0)] ?? 'modified';
  const first = tokens.next();
  const path = status === 'renamed' || status === 'copied' ? tokens.next() : first;
  return {
    ...shownPath(path, mostPathBytes),
    ...(path !== first && { previousPath: shownPath(first, mostPathBytes).path }),
    status,
    ...(oldMode !== absent && { oldMode }),
    ...(newMode !== absent && { newMode }),
    oldId,
    newId,
  };
}

/** A path that is too long is cut, and then no exact name. */
export function shownPath(path: Buffer, mostBytes: number): Pick<ChangedFile, 'path' | 'isExact'> {
  if (path.length > mostBytes) return { path: `${path.toString('utf8', 0, mostBytes)}…`, isExact: false };
  return { path: path.toString(), isExact: isUtf8(path) };
}

function parseCounts(tokens: Tokens): Pick<ChangedFile, 'added' | 'deleted' | 'isBinary'> {
  const [added = '', deleted = '', path] = tokens.next().toString('latin1').split('\t', 3);
  // The names of a renamed file stand behind the counts, as tokens of their own.
  if (path === '') {
    tokens.next();
    tokens.next();
  }
  return { added: Number(added) || 0, deleted: Number(deleted) || 0, isBinary: added === '-' };
}

/** Pieces of output that end in NUL. */
class Tokens {
  readonly #bytes: Buffer;
  #start = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  startsWith(character: string): boolean {
    return this.#bytes[this.#start] === character.charCodeAt(0);
  }

  next(): Buffer {
    const end = this.#bytes.indexOf(0, this.#start);
    const token = this.#bytes.subarray(this.#start, end < 0 ? this.#bytes.length : end);
    this.#start += token.length + 1;
    return token;
  }
}
