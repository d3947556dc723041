import { escapeRegExp } from '@sextant/core';
import { execFileSync } from 'node:child_process';
import type { CommitRequest } from '../code/history.ts';

/** The command that every implementation of `History` equals: nothing of the machine, the user or the repository decides. */
const settings = [
  'diff.algorithm=myers',
  'diff.interHunkContext=0',
  'core.attributesFile=/dev/null',
  'mailmap.blob=HEAD:.mailmap',
];
const options = [
  '--no-renames',
  '--full-history',
  '--diff-merges=off',
  '--no-notes',
  '-E',
  '-i',
  '--no-ext-diff',
  '--no-textconv',
  '--submodule=short',
  '--ignore-submodules=none',
  '--no-patch',
  '--format=%H',
];
const environment = {
  PATH: process.env['PATH'],
  TZ: 'UTC',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
};

/**
 * The commits that `git log` finds for a request whose dates are seconds (`@1700000000`), newest first. An author is found as
 * written and as mapped; git looks at one of them at a time.
 */
export function gitLog(folder: string, request: CommitRequest): string[] {
  const mapped = log(folder, request, '--mailmap');
  if (request.authors.length === 0) return mapped;
  const found = new Set([...mapped, ...log(folder, request, '--no-mailmap')]);
  return log(folder, { ...request, authors: [] }, '--mailmap').filter((hash) => found.has(hash));
}

/** The commits that change how often a word stands in some file (`git log -S`), in any case. */
export const gitPickaxe = (folder: string, word: string, revisions: readonly string[]): string[] =>
  run(folder, ['--mailmap', ...options, `-S${word}`, ...(revisions.length === 0 ? ['HEAD'] : revisions)]);

function log(folder: string, request: CommitRequest, mailmap: string): string[] {
  const { contents, messages, authors, after, before, paths, revisions, isRegex } = request;
  const [content] = contents;
  if (contents.length > 1) throw new Error('git log takes one -G');
  const text = (pattern: string): string => (isRegex ? pattern : escapeRegExp(pattern));
  return run(folder, [
    mailmap,
    ...options,
    ...(content === undefined ? [] : [`-G${text(content)}`]),
    ...messages.map((message) => `--grep=${text(message)}`),
    ...authors.map((author) => `--author=${text(author)}`),
    ...(after === undefined ? [] : [`--since-as-filter=${after}`]),
    ...(before === undefined ? [] : [`--until=${before}`]),
    ...(paths.length === 0 ? [] : ['--no-merges']),
    ...(revisions.length === 0 ? ['HEAD'] : revisions.flatMap(refsOf)),
    '--',
    ...paths,
  ]);
}

function run(folder: string, wanted: readonly string[]): string[] {
  const args = [...settings.flatMap((setting) => ['-c', setting]), 'log', ...wanted];
  const output = execFileSync('git', ['-C', folder, ...args], { env: environment, maxBuffer: Infinity }).toString();
  return output.split('\n').filter((hash) => hash !== '');
}

/** Globs as git takes them; those that leave out must stand before the others. */
const refsOf = (revision: string): string[] =>
  revision.startsWith('*') ? [`--glob=${revision.slice(1)}`] : [revision];
