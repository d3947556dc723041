import { execFileSync } from 'node:child_process';
import type { FoundDiff, History } from '@sextant/contracts';
import { gitPickaxe } from '@sextant/contracts/testing';
import { callerOf } from '@sextant/core/testing';

export interface PickaxeOptions {
  readonly repository: string;
  readonly revisions: readonly string[];
}

/** What the matches of a word in the hunks of one file of one commit come to. */
interface Counted {
  added: number;
  removed: number;
  isCut: boolean;
}

/**
 * Compares the hunks that a search of diffs finds with `git log -S`, which counts: a commit changes how often a word stands in a file
 * when its added lines have it another number of times than its removed ones. Returns commits that only one of them finds.
 */
export async function pickaxeDifferences(
  history: History,
  word: string,
  { repository, revisions }: PickaxeOptions,
): Promise<{ found: number; differing: string[] }> {
  const request = {
    repositories: ['^r$'],
    pattern: word,
    sides: ['added', 'removed'],
    authors: [],
    revisions,
  } as const;
  const asked = { ...request, isRegex: false, count: 1_000_000 };
  const { results } = await history.diffs(callerOf('alice'), asked, new AbortController().signal);
  const files = countedFiles(results);
  const ours = new Set<string>();
  const cut = new Set<string>();
  for (const [file, { added, removed, isCut }] of files) {
    const [commit = ''] = file.split(' ');
    if (added !== removed) ours.add(commit);
    if (isCut) cut.add(commit);
  }
  const wanted = gitPickaxe(repository, word, revisions);
  const isInGit = new Set(wanted);
  const differing = [...wanted.filter((hash) => !ours.has(hash)), ...[...ours].filter((hash) => !isInGit.has(hash))];
  const isComparable = (hash: string): boolean => !cut.has(hash) && !changesBinary(repository, hash);
  return { found: wanted.length, differing: differing.filter(isComparable) };
}

/** Git counts in binary files, too, which have no lines. */
function changesBinary(repository: string, hash: string): boolean {
  const args = ['-C', repository, 'show', '--format=', '--numstat', '--no-renames', hash];
  return /^-\t-\t/m.test(execFileSync('git', args, { maxBuffer: Infinity }).toString());
}

function countedFiles(results: readonly FoundDiff[]): ReadonlyMap<string, Counted> {
  const files = new Map<string, Counted>();
  for (const { commit, path, hunk, matchRanges } of results) {
    const counted = files.get(`${commit} ${path}`) ?? { added: 0, removed: 0, isCut: false };
    files.set(`${commit} ${path}`, counted);
    const lines = hunk.split('\n');
    for (const { line } of matchRanges) counted[lines[line - 1]?.startsWith('+') ? 'added' : 'removed'] += 1;
    // Of a long hunk, or a long line, only a part is shown.
    counted.isCut ||= /^\[\d+ lines of this hunk are not shown\]$|…$/m.test(hunk) || matchRanges.length >= 100;
  }
  return files;
}
