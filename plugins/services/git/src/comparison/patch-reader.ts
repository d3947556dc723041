import { readPatches } from '@sextant/contracts';
import type { LRUCache } from 'lru-cache';
import type { ChangedFile } from './changed-files.ts';
import type { ComparedCommits } from './compared-trees.ts';
import { isBeyondLimits } from '../process/git-process.ts';
import type { GitProgram } from '../process/git-process.ts';
import { bigFileThreshold, diffOptions, patchCommand } from '../objects/patch-command.ts';
import { PageBudget, PagePatches } from './page-patches.ts';
import type { FilePatch } from './page-patches.ts';

const nothing: FilePatch = { hunks: [], isTruncated: false, added: 0, deleted: 0, isBinary: false };
const tooLarge: FilePatch = { ...nothing, isTruncated: true };
const late: FilePatch = { ...tooLarge, isLate: true };
/** For all patches of a page. */
const pageSeconds = 8;
/** Without output while many files are compared, and for one that is compared alone. */
export const fileSeconds = 3;
const submoduleMode = '160000';

export interface PatchRequest {
  readonly git: GitProgram;
  readonly commits: ComparedCommits;
  /** Whether the lines of each file are to be counted, also where they do not fit. */
  readonly wantsCounts: boolean;
  /** Pairs of contents that git could not compare in time before. */
  readonly hardPairs: LRUCache<string, true>;
}

interface Reading extends PatchRequest {
  readonly budget: PageBudget;
  readonly until: number;
}

/**
 * The hunks of each of these files, in their order. One that git cannot compare in time is marked as late. Later calls
 * do not try it again.
 */
export async function patchesOf(request: PatchRequest, files: readonly ChangedFile[]): Promise<FilePatch[]> {
  const reading = { ...request, budget: new PageBudget(), until: performance.now() + 1000 * pageSeconds };
  const isHard = (file: ChangedFile): boolean => request.hardPairs.has(pairOf(file));
  const hard = new Set(files.filter(isHard));
  const together = await readTogether(
    reading,
    files.filter((file) => isReadTogether(file) && !hard.has(file)),
  );
  return Promise.all(
    files.map((file) => {
      if (file.isBinary || file.oldId === file.newId) return nothing;
      if (hard.has(file)) return late;
      return isReadTogether(file) ? (together.get(file.path) ?? tooLarge) : readAlone(reading, file);
    }),
  );
}

const pairOf = ({ oldId, newId }: ChangedFile): string => `${oldId}..${newId}`;

/**
 * Renamed files are compared one by one by their contents: asked for some files only, git might pair them differently
 * than among all files. So are those whose names are no UTF-8.
 */
const isReadTogether = ({ previousPath, isExact, isBinary }: ChangedFile): boolean =>
  previousPath === undefined && isExact && !isBinary;

/**
 * Runs one command for all files. If it ends at a limit, runs one for each file, so that a file that git cannot compare
 * leaves out no other.
 */
async function readTogether(reading: Reading, files: readonly ChangedFile[]): Promise<Map<string, FilePatch>> {
  const found = await orUndefined(reading, (limits) => readPaths(reading, files, limits));
  if (found) return found;
  const alone = new Map<string, FilePatch>();
  const again = { ...reading, budget: new PageBudget() };
  for (const file of files) {
    if (isPageOver(again)) return alone;
    const found = await orUndefined(again, () => readPaths(again, [file], { seconds: fileSeconds }));
    for (const each of found ?? [[file.path, lateFor(again, file)] as const]) alone.set(...each);
  }
  return alone;
}

function lateFor({ hardPairs }: Reading, file: ChangedFile): FilePatch {
  hardPairs.set(pairOf(file), true);
  return late;
}

const isPageOver = ({ until }: Reading): boolean => performance.now() >= until;

interface Limits {
  readonly seconds: number;
  readonly silentSeconds?: number;
}

/** Undefined where the work does not end in its limits, or the time of the page is over. */
async function orUndefined<T>(reading: Reading, work: (limits: Limits) => Promise<T>): Promise<T | undefined> {
  const { until, commits } = reading;
  if (isPageOver(reading)) return undefined;
  try {
    return await work({ seconds: (until - performance.now()) / 1000, silentSeconds: fileSeconds });
  } catch (error) {
    if (commits.signal.aborted || !isBeyondLimits(error)) throw error;
    return undefined;
  }
}

async function readPaths(
  { git, commits, budget, wantsCounts }: Reading,
  files: readonly ChangedFile[],
  limits: Limits,
): Promise<Map<string, FilePatch>> {
  if (files.length === 0) return new Map();
  const { folder, base, head, signal } = commits;
  const range = { from: base, to: head, paths: files.map(({ path }) => path) };
  const page = new PagePatches(budget, wantsCounts);
  const { args } = patchCommand(range, { wants: 'hunks' });
  await readPatches(git.stream({ gitFolder: folder.path, args, signal, ...limits }), page);
  return page.patches;
}

async function readAlone(reading: Reading, file: ChangedFile): Promise<FilePatch> {
  const { git, commits, budget } = reading;
  const isSubmodule = file.oldMode === submoduleMode || file.newMode === submoduleMode;
  const isOneSided = file.oldMode === undefined || file.newMode === undefined;
  if (isSubmodule || isOneSided) return tooLarge;
  if (isPageOver(reading)) return tooLarge;
  const args = [...bigFileThreshold, 'diff', ...diffOptions, file.oldId, file.newId];
  const patch = await orUndefined(reading, async () => {
    const page = new PagePatches(budget, reading.wantsCounts);
    const command = { gitFolder: commits.folder.path, args, signal: commits.signal, seconds: fileSeconds };
    await readPatches(git.stream(command), page);
    return [...page.patches.values()][0] ?? nothing;
  });
  return patch ?? lateFor(reading, file);
}
