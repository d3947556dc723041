import { createHash } from 'node:crypto';

/** What the name of an index file says. */
export interface IndexName {
  readonly file: string;
  /** Hash of the repository's name. */
  readonly repoKey: string;
  readonly commit: string;
  /** Hash of root and indexer: a commit may have one index of each. */
  readonly kind: string;
}

/** Longest path in bytes, as PATH_MAX of Linux has it. */
const longestPath = 4096;

/**
 * Whether a path is canonical, as scip.proto wants `Document.relative_path`: relative, without empty parts, `.` and `..`. One
 * with control characters, which would be shown as it is, is none either.
 */
export const isPathOfFile = (path: string): boolean =>
  Buffer.byteLength(path) <= longestPath &&
  !/\p{Cc}/u.test(path) &&
  path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');

const extension = '.scipx';
const pattern = /^([0-9a-f]{20})-([0-9a-f]{40,64})-([0-9a-f]{12})\.scipx$/;

const digest = (text: string, length: number): string =>
  createHash('sha256').update(text).digest('hex').slice(0, length);

export const repoKeyOf = (repo: string): string => digest(repo, 20);

export const fileNameOf = (index: { repo: string; commit: string; root: string; indexer: string }): string =>
  `${repoKeyOf(index.repo)}-${index.commit}-${digest(`${index.root}\0${index.indexer}`, 12)}${extension}`;

/** Undefined for other files. */
export function parseName(file: string): IndexName | undefined {
  const [, repoKey, commit, kind] = pattern.exec(file) ?? [];
  return repoKey !== undefined && commit !== undefined && kind !== undefined
    ? { file, repoKey, commit, kind }
    : undefined;
}
