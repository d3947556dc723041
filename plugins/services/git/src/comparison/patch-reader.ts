import { readPatches } from '@sextant/contracts';
import type { LRUCache } from 'lru-cache';
import type { ChangedFile } from './changed-files.ts';
import type { ComparedCommits } from './compared-trees.ts';
import { isBeyondLimits } from '../process/git-process.ts';
import type { GitProgram } from '../process/git-process.ts';
import type { ObjectReader } from '../objects/object-reader.ts';
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
/** Files up to here git compares in time, whatever is in them. */
const quickBytes = 512 * 1024;
const submoduleMode = '160000';

export interface PatchRequest {
  readonly git: GitProgram;
  readonly commits: ComparedCommits;
  /** Whether the lines of each file are to be counted, also where they do not fit. */
  readonly wantsCounts: boolean;
  /** Pairs of contents that git could not compare in time before. */
  readonly hardPairs: LRUCache<string, true>;
  readonly objects: Pick<ObjectReader, 'sizes'>;
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
  const exact = files.filter((file) => isReadTogether(file) && !hard.has(file));
  const slow = await slowAmong(request, exact);
  const together = await readTogether(
    reading,
    exact.filter((file) => !slow.has(file)),
  );
  // Alone from the start: together they would keep git from the others, and be tried again alone.
  for (const [path, patch] of await readEach(reading, [...slow])) together.set(path, patch);
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

/** Changed files with so much on both sides that git may not compare them in time. */
async function slowAmong(
  { objects, commits }: PatchRequest,
  files: readonly ChangedFile[],
): Promise<ReadonlySet<ChangedFile>> {
  const modified = files.filter(({ oldMode, newMode, oldId, newId }) => oldMode && newMode && oldId !== newId);
  const ids = modified.flatMap(({ oldId, newId }) => [oldId, newId]);
  const sizes = ids.length === 0 ? [] : await objects.sizes(commits.folder, ids, commits.signal);
  return new Set(modified.filter((_, at) => [2 * at, 2 * at + 1].every((side) => (sizes[side] ?? 0) > quickBytes)));
}

/**
 * Runs one command for all files. If it ends at a limit, runs one for each file, so that a file that git cannot compare
 * leaves out no other.
 */
async function readTogether(reading: Reading, files: readonly ChangedFile[]): Promise<Map<string, FilePatch>> {
  const found = await orUndefined(reading, (limits) => readPaths(reading, files, limits));
  return found ?? readEach({ ...reading, budget: new PageBudget() }, files);
}

/** Runs a command for each file, as long as there is time for the page. */
async function readEach(reading: Reading, files: readonly ChangedFile[]): Promise<Map<string, FilePatch>> {
  const patches = new Map<string, FilePatch>();
  for (const file of files) {
    if (isPageOver(reading)) return patches;
    const found = await orUndefined(reading, () => readPaths(reading, [file], { seconds: fileSeconds }));
    for (const each of found ?? [[file.path, lateFor(reading, file)] as const]) patches.set(...each);
  }
  return patches;
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
