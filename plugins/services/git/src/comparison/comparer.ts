import { setTimeout } from 'node:timers/promises';
import type { ComparedRevisions, Comparison, ComparisonPage, FileChange } from '@sextant/contracts';
import { SextantError, oneLine } from '@sextant/core';
import { LRUCache } from 'lru-cache';
import { parseChangedFiles } from './changed-files.ts';
import type { ChangedFile } from './changed-files.ts';
import type { ComparedCommits } from './compared-trees.ts';
import { TreeComparer, mostLevels } from './compared-trees.ts';
import type { ComparedTrees, ComparisonLimits, FileCount } from './compared-trees.ts';
import { isBeyondLimits } from '../process/git-process.ts';
import type { GitProgram } from '../process/git-process.ts';
import { latelyUsed } from '../objects/lately-used.ts';
import { bigFileThreshold } from '../objects/patch-command.ts';
import { fileSeconds, patchesOf } from './patch-reader.ts';
import type { FilePatch } from './page-patches.ts';
import type { ObjectReader } from '../objects/object-reader.ts';
import { linesOf } from '../refs/ref-targets.ts';
import type { TreeReader } from '../objects/tree-reader.ts';
import { cutHistory } from '../storage/shallow-file.ts';

/** Files up to which git looks for renames among changed contents; beyond, only for identical ones. */
const renameLimit = 2000;
/** Files up to which git is asked for all of them, with renames and lines: it holds them as a whole. */
const mostListed = 50_000;
/** For that. */
const listSeconds = 10;
/** Milliseconds after which files are listed without their lines, while git goes on to count these. */
const countedSoonMs = 500;
/** After so long it is tried again: git may have had little of the machine. Until then pages fit together. */
const unlistedMs = 600_000;
const maxRemembered = 10_000;
const listArguments = [
  ...bigFileThreshold,
  'diff-tree',
  '-r',
  '-z',
  '--raw',
  '--no-abbrev',
  '-M',
  '-C',
  `-l${renameLimit}`,
  '--no-ext-diff',
  '--no-textconv',
  '--ignore-submodules=none',
];

/** What is known of all files of a comparison. */
interface Listing extends Pick<Comparison, 'totalAdded' | 'totalDeleted' | 'totalModified' | 'atLeast' | 'notes'> {
  /** Undefined where they are too many, or take too long: then they are found page by page. */
  readonly files: readonly ChangedFile[] | undefined;
  /** Whether the lines of each file are known. */
  readonly isCounted: boolean;
}

export interface ComparerOptions {
  readonly git: GitProgram;
  readonly trees: TreeReader;
  readonly objects: ObjectReader;
  readonly limits: ComparisonLimits;
  readonly cacheBytes: number;
}

/** Compares commits. The files of a comparison are remembered: commits never change. */
export class Comparer {
  readonly #git: GitProgram;
  readonly #trees: TreeReader;
  readonly #objects: ObjectReader;
  readonly #treeComparer: TreeComparer;
  readonly #limits: ComparisonLimits;
  readonly #bases = latelyUsed<Omit<ComparedRevisions, 'head'>>(maxRemembered);
  readonly #known: LRUCache<string, Listing>;
  /** Pairs of contents that git could not compare in time lately: no other call waits for them. */
  readonly #hardPairs = new LRUCache<string, true>({ max: maxRemembered, ttl: unlistedMs });

  constructor({ git, trees, objects, limits, cacheBytes }: ComparerOptions) {
    [this.#git, this.#trees, this.#objects, this.#limits] = [git, trees, objects, limits];
    this.#treeComparer = new TreeComparer(trees, limits);
    this.#known = new LRUCache({
      maxSize: cacheBytes,
      sizeCalculation: ({ files }) => 400 * (files?.length ?? 0) + 500,
    });
  }

  forget(): void {
    this.#known.clear();
  }

  /** The best common ancestor as git finds it; `base` itself where there is none. */
  async mergeBase(commits: ComparedCommits): Promise<Omit<ComparedRevisions, 'head'>> {
    const { folder, base, head, signal } = commits;
    const key = `${folder.cacheKey()}${base}...${head}`;
    const known = this.#bases.get(key);
    if (known !== undefined) return known;
    const output = await this.#git.run({
      gitFolder: folder.path,
      args: ['merge-base', base, head],
      signal,
      exits: [0, 1],
    });
    const ancestor = output.toString().trim();
    const note = await this.#noteOn(commits, ancestor);
    const found = { base: ancestor || base, ...(note !== undefined && { note }) };
    this.#bases.set(key, found);
    return found;
  }

  /** Where parents of a commit before the ancestor are not here, they may lead to a better one. */
  async #noteOn({ folder, base, head, signal }: ComparedCommits, ancestor: string): Promise<string | undefined> {
    const { commits: cut } = folder.historyStart;
    if (cut.size === 0) return undefined;
    if (ancestor === '') return noAncestor;
    const args = ['rev-list', base, head, `^${ancestor}`];
    for await (const lines of linesOf(this.#git.stream({ gitFolder: folder.path, args, signal })))
      if (lines.some((commit) => cut.has(commit))) return lateAncestor;
    return undefined;
  }

  async compare(
    compared: ComparedCommits,
    { offset, limit, filesOnly = false, below = '' }: Omit<ComparisonPage, 'base' | 'head'>,
  ): Promise<Comparison> {
    const commits = { ...compared, base: compared.base || emptyTreeLike(compared.head) };
    const trees = await this.#treesOf(compared);
    const all = await this.#listings(commits, trees);
    const soon = listingBelow(all.soon, below);
    const whole =
      all.soon === all.whole ? soon : Promise.resolve(all.whole).then((listing) => listingBelow(listing, below));
    if (whole instanceof Promise) whole.catch(() => undefined);
    const most = Math.max(0, Math.min(limit, soon.totalModified - offset));
    const page = soon.files
      ? soon.files.slice(offset, offset + most)
      : await this.#treeComparer.page(trees, { offset, limit: most });
    const [git, hardPairs, objects] = [this.#git, this.#hardPairs, this.#objects];
    const request = { git, commits, wantsCounts: !soon.isCounted, hardPairs, objects };
    const patches = filesOnly ? page.map(() => nothing) : await patchesOf(request, page);
    const { files, isCounted, ...totals } = await whole;
    const counted = isCounted ? files?.slice(offset, offset + most) : undefined;
    const shown = (counted ?? page).map((file, index) => changeOf(file, patches[index] ?? nothing, !isCounted));
    return {
      base: compared.base,
      head: commits.head,
      ...totals,
      notes: [...totals.notes, ...lateNotes(page.filter((_, index) => patches[index]?.isLate))],
      ...(!isCounted && linesIn(shown)),
      files: shown,
      totalFiles: totals.totalModified,
    };
  }

  async #treesOf({ folder, base, head, signal }: ComparedCommits): Promise<ComparedTrees> {
    const place = { folder, key: folder.cacheKey(), signal };
    const rootOf = (commit: string): Promise<string> => this.#trees.rootOf({ ...place, commit });
    const [before, after] = await Promise.all([base === '' ? undefined : rootOf(base), rootOf(head)]);
    return { place, before, after };
  }

  /** What is known soon of the files of a comparison, and what is known once git has counted lines, or has given up. */
  async #listings(
    commits: ComparedCommits,
    trees: ComparedTrees,
  ): Promise<{ soon: Listing; whole: Listing | Promise<Listing> }> {
    const key = `${trees.place.key}${trees.before}..${trees.after}`;
    const known = this.#known.get(key);
    if (known) return { soon: known, whole: known };
    const count = await this.#treeComparer.count(trees);
    const { files, end, isTooDeep } = count;
    const remembered = (listing: Listing): Listing => {
      this.#known.set(key, listing, listing.isCounted ? {} : { ttl: unlistedMs });
      return listing;
    };
    if (end !== 'whole' || isTooDeep || files > mostListed) {
      const listing = unlisted(count, this.#limits);
      // The counts so far are cached: the next page continues from there.
      const whole = end === 'seconds' ? listing : remembered(listing);
      return { soon: whole, whole };
    }
    const counting = this.#listedBy(commits, { isCounted: true });
    const counted = await Promise.race([counting, setTimeout(countedSoonMs, undefined, { ref: false })]);
    if (counted) return { soon: remembered(counted), whole: counted };
    // One file that git cannot compare keeps all lines from being counted: without them git looks into no file.
    const plain = await this.#listedBy(commits, { isCounted: false });
    const whole = counting.then((listing) => remembered(listing ?? plain ?? unlisted(count, this.#limits)));
    // If the page fails first, nobody waits for it.
    whole.catch(() => undefined);
    return { soon: plain ?? (await whole), whole };
  }

  async #listedBy(
    { folder, base, head, signal }: ComparedCommits,
    { isCounted }: Pick<Listing, 'isCounted'>,
  ): Promise<Listing | undefined> {
    try {
      const output = await this.#git.run({
        gitFolder: folder.path,
        args: [...listArguments, ...(isCounted ? ['--numstat'] : []), base, head],
        signal,
        seconds: Math.min(listSeconds, this.#limits.commandSeconds),
        ...(isCounted && { silentSeconds: fileSeconds }),
      });
      return listingOf(await parseChangedFiles(output, this.#limits.pathBytes), isCounted);
    } catch (error) {
      if (signal.aborted || !isBeyondLimits(error)) throw error;
      return undefined;
    }
  }
}

const noAncestor = `${cutHistory}, in which the revisions have no common ancestor: they are compared as they are, so head seems to undo what base alone has.`;
const lateAncestor = `${cutHistory}: the revisions may have parted later than at the base that was found.`;

const nothing: FilePatch = { hunks: [], isTruncated: false, added: 0, deleted: 0, isBinary: false };

/** Names in one note. */
const mostNamed = 5;

function lateNotes(files: readonly ChangedFile[]): string[] {
  if (files.length === 0) return [];
  const names = files.slice(0, mostNamed).map(({ path }) => oneLine(path));
  const more = files.length > mostNamed ? ` and ${files.length - mostNamed} more` : '';
  return [
    `Left out, because git could not compare ${files.length === 1 ? 'it' : 'them'} in time: ${names.join(', ')}${more}.`,
  ];
}

function listingOf(files: readonly ChangedFile[], isCounted: boolean): Listing {
  const [gone, come] = ['deleted', 'added'].map((status) => files.filter((file) => file.status === status).length);
  const isGivenUp = (gone ?? 0) * (come ?? 0) > renameLimit ** 2;
  return {
    files,
    totalAdded: sum(files.map(({ added }) => added)),
    totalDeleted: sum(files.map(({ deleted }) => deleted)),
    totalModified: files.length,
    isCounted,
    atLeast: isCounted ? [] : ['lines'],
    notes: [
      ...(isGivenUp
        ? [
            `Of renamed files only those with the same content were found: ${gone} files were deleted and ${come} added, too many to compare each with each.`,
          ]
        : []),
      ...(isCounted ? [] : ['Lines are counted only for the files that are shown: all take git too long.']),
    ],
  };
}

/** Of a folder, or one file. Files that were renamed into it or out of it are among them. */
function listingBelow(listing: Listing, folder: string): Listing {
  if (folder === '') return listing;
  if (!listing.files)
    throw new SextantError('too_large', 'too many files differ to tell those of one folder; compare nearer revisions');
  const isBelow = (path: string | undefined): boolean => path === folder || path?.startsWith(`${folder}/`) === true;
  const files = listing.files.filter(({ path, previousPath }) => isBelow(path) || isBelow(previousPath));
  return {
    ...listing,
    files,
    totalAdded: sum(files.map(({ added }) => added)),
    totalDeleted: sum(files.map(({ deleted }) => deleted)),
    totalModified: files.length,
  };
}

function unlisted({ files, end, isTooDeep }: FileCount, { entries, seconds }: ComparisonLimits): Listing {
  const why =
    end !== 'whole'
      ? 'there are too many to count'
      : files > mostListed
        ? `more than ${mostListed} files differ`
        : isTooDeep
          ? 'folders lie too deep'
          : 'that takes git too long, or too much memory';
  const left = {
    entries: `more than ${entries} entries of folders differ, which is the most that are looked at; the operator can raise treeEntries of service-git`,
    seconds: `counting took longer than ${seconds} s`,
    whole: undefined,
  }[end];
  return {
    files: undefined,
    isCounted: false,
    totalAdded: 0,
    totalDeleted: 0,
    totalModified: files,
    atLeast: left === undefined ? ['lines'] : ['files', 'lines'],
    notes: [
      `Renames were not looked for, and lines are counted only for the files that are shown: ${why}.`,
      ...(left === undefined ? [] : [`Files behind the first ${files} are left out: ${left}.`]),
      ...(isTooDeep ? [`What lies deeper than ${mostLevels} folders counts as one file.`] : []),
    ],
  };
}

function changeOf(
  { oldId: _old, newId: _new, isExact: _exact, ...file }: ChangedFile,
  { hunks, isTruncated, isLate: _late, ...counts }: FilePatch,
  wantsCounts: boolean,
): FileChange {
  return { ...file, ...(wantsCounts && counts), hunks, isTruncated };
}

const linesIn = (files: readonly FileChange[]): Pick<Comparison, 'totalAdded' | 'totalDeleted'> => ({
  totalAdded: sum(files.map(({ added }) => added)),
  totalDeleted: sum(files.map(({ deleted }) => deleted)),
});

/** The tree without entries, which git knows in every repository, in the hash function of a commit. */
const emptyTreeLike = ({ length }: string): string =>
  length === 64
    ? '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321'
    : '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
