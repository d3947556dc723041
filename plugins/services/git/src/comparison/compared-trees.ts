import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { TreePlace, TreeReader } from '../objects/tree-reader.ts';
import { Tree, isFolder } from '../objects/tree.ts';
import type { Difference, RawEntry } from '../objects/tree.ts';
import type { GitFolder } from '../storage/git-folder.ts';
import { shownPath } from './changed-files.ts';
import type { ChangedFile } from './changed-files.ts';

export interface ComparisonLimits {
  /** Entries of trees that differ and are looked at to count files. */
  entries: number;
  /** Of a path. */
  pathBytes: number;
  /** For counting. */
  seconds: number;
  /** For one git command. */
  commandSeconds: number;
}

/** The ids of two trees; undefined for one without entries. */
interface TreePair {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export interface ComparedTrees extends TreePair {
  readonly place: TreePlace;
}

export interface FileCount {
  /** A lower bound unless it is whole: then so many files can be shown. */
  readonly files: number;
  /** What ended the count. */
  readonly end: 'whole' | 'entries' | 'seconds';
  /** Whether folders lie deeper than is looked at; each that differs counts as one file. */
  readonly isTooDeep: boolean;
}

const mostCounts = 200_000;
/** Deeper folders are not looked into. */
export const mostLevels = 10_000;
/** A few trees can make more. */
const mostFiles = Number.MAX_SAFE_INTEGER;
/** Differences of folders among which trees are read ahead. */
const entriesAhead = 10_000;
/** Trees that are read ahead at once. */
const treesAtOnce = 500;
/** Of the time for counting, the share in which trees are read ahead. */
const shareAhead = 0.5;
/** Between two breaths. */
const entriesAtOnce = 2000;

/**
 * The files that differ between two trees, in the order of git and without renames. Trees are read as they are needed: a page costs what
 * lies on the way to it, however many files there are. Equal pairs of folders are counted once, so that counting ends where paths do not.
 */
export class TreeComparer {
  readonly #trees: TreeReader;
  readonly #limits: Omit<ComparisonLimits, 'commandSeconds'>;
  readonly #counts = new LRUCache<string, number>({ maxSize: mostCounts, sizeCalculation: () => 1 });

  constructor(trees: TreeReader, limits: Omit<ComparisonLimits, 'commandSeconds'>) {
    this.#trees = trees;
    this.#limits = limits;
  }

  async count(trees: ComparedTrees): Promise<FileCount> {
    const counting: Counting = {
      place: trees.place,
      entries: 0,
      isTooDeep: false,
      until: performance.now() + 1000 * this.#limits.seconds,
    };
    await this.#readAhead(trees, trees.place, performance.now() + 1000 * this.#limits.seconds * shareAhead);
    const files = await this.#count(trees, 0, counting);
    return { files, end: counting.end ?? 'whole', isTooDeep: counting.isTooDeep };
  }

  /** Files from an offset on, whose counts of lines are not known. */
  async page(trees: ComparedTrees, { offset, limit }: { offset: number; limit: number }): Promise<ChangedFile[]> {
    const page: Page = { place: trees.place, skip: offset, limit, path: [], files: [], entries: 0 };
    if (limit > 0) await this.#collect(trees, page);
    return page.files;
  }

  async #count(pair: TreePair, level: number, counting: Counting): Promise<number> {
    const key = keyOf(counting.place, pair);
    const known = this.#counts.get(key);
    if (known !== undefined) return known;
    let files = 0;
    for (const { before, after } of await this.#differences(pair, counting.place)) {
      counting.entries += 1;
      if (counting.entries > this.#limits.entries) counting.end = 'entries';
      if (counting.entries % entriesAtOnce === 0) await breathe(counting.place);
      if (performance.now() > counting.until) counting.end = 'seconds';
      if (counting.end) return files;
      const inner = innerPair(before, after);
      if (inner && level === mostLevels) counting.isTooDeep = true;
      const more = inner && level < mostLevels ? await this.#count(inner, level + 1, counting) : 1;
      files = Math.min(mostFiles, files + more);
      if (counting.end) return files;
    }
    if (!counting.isTooDeep) this.#counts.set(key, files);
    return files;
  }

  /** Reads the trees that counting needs, many of a level at once. Only the first ones of a large comparison. */
  async #readAhead(root: TreePair, place: TreePlace, until: number): Promise<void> {
    if (this.#counts.has(keyOf(place, root))) return;
    const mostEntries = Math.min(entriesAhead, this.#limits.entries);
    let entries = 0;
    for (let level: readonly TreePair[] = [root]; level.length > 0; ) {
      const ids = level.flatMap(({ before, after }) => [before, after]).filter((id) => id !== undefined);
      for (let from = 0; from < ids.length; from += treesAtOnce) {
        if (performance.now() > until) return;
        await this.#trees.readAhead(place, ids.slice(from, from + treesAtOnce));
      }
      const below = new Map<string, TreePair>();
      for (const pair of level)
        for (const { before, after } of await this.#differences(pair, place)) {
          entries += 1;
          if (entries > mostEntries || performance.now() > until) return;
          const inner = innerPair(before, after);
          if (!inner) continue;
          const key = keyOf(place, inner);
          if (!this.#counts.has(key)) below.set(key, inner);
        }
      level = [...below.values()];
    }
  }

  async #collect(pair: TreePair, page: Page): Promise<void> {
    for (const { before, after } of await this.#differences(pair, page.place)) {
      const inner = page.path.length < mostLevels ? innerPair(before, after) : undefined;
      const files = inner ? this.#counts.get(keyOf(page.place, inner)) : 1;
      page.entries += 1;
      if (page.entries % entriesAtOnce === 0) await breathe(page.place);
      if (files !== undefined && files <= page.skip) {
        page.skip -= files;
        continue;
      }
      page.path.push((after ?? before)?.name ?? Buffer.alloc(0));
      if (inner) await this.#collect(inner, page);
      else page.files.push(fileOf(this.#pathOf(page.path), before, after));
      page.path.pop();
      if (page.files.length === page.limit) return;
    }
  }

  #pathOf(names: readonly Buffer[]): Pick<ChangedFile, 'path' | 'isExact'> {
    const { pathBytes } = this.#limits;
    return shownPath(joined(names, pathBytes), pathBytes);
  }

  async #differences({ before, after }: TreePair, place: TreePlace): Promise<Generator<Difference>> {
    const read = (id: string | undefined): Promise<Tree> | Tree =>
      id === undefined ? Tree.empty : this.#trees.tree(place, id);
    const [old, changed] = await Promise.all([read(before), read(after)]);
    return Tree.differences(old, changed);
  }
}

interface Counting {
  readonly place: TreePlace;
  readonly until: number;
  entries: number;
  isTooDeep: boolean;
  end?: 'entries' | 'seconds';
}

interface Page {
  readonly place: TreePlace;
  readonly limit: number;
  readonly files: ChangedFile[];
  /** The names down to where the walk is. */
  readonly path: Buffer[];
  skip: number;
  entries: number;
}

/** Lets others have the thread. */
async function breathe({ signal }: TreePlace): Promise<void> {
  await setImmediate();
  signal.throwIfAborted();
}

const keyOf = ({ key }: TreePlace, { before = '', after = '' }: TreePair): string => `${key}${before}..${after}`;

/** The two sides of a folder; undefined for what is none. */
function innerPair(before: RawEntry | undefined, after: RawEntry | undefined): TreePair | undefined {
  const entry = before ?? after;
  return entry && isFolder(entry) ? { before: before?.id, after: after?.id } : undefined;
}

/** No longer than is told to be too long. */
function joined(names: readonly Buffer[], mostBytes: number): Buffer {
  const parts: Buffer[] = [];
  let length = 0;
  for (const name of names) {
    parts.push(...(parts.length > 0 ? [slash] : []), name.subarray(0, mostBytes + 1));
    length += name.length + 1;
    if (length > mostBytes + 1) break;
  }
  return Buffer.concat(parts);
}

const slash = Buffer.from('/');

function fileOf(
  path: Pick<ChangedFile, 'path' | 'isExact'>,
  before: RawEntry | undefined,
  after: RawEntry | undefined,
): ChangedFile {
  const isTypeChanged = before !== undefined && after !== undefined && kindOf(before) !== kindOf(after);
  const status =
    before === undefined ? 'added' : after === undefined ? 'deleted' : isTypeChanged ? 'type-changed' : 'modified';
  const absent = '0'.repeat((before ?? after)?.id.length ?? 40);
  return {
    ...path,
    status,
    added: 0,
    deleted: 0,
    isBinary: false,
    ...(before && { oldMode: before.mode }),
    ...(after && { newMode: after.mode }),
    oldId: before?.id ?? absent,
    newId: after?.id ?? absent,
  };
}

/** The digits of a mode that tell a file from a link and a submodule. */
const kindOf = ({ mode }: RawEntry): string => mode.slice(0, 3);

/** Two commits by their full hashes. */
export interface ComparedCommits {
  readonly folder: GitFolder;
  readonly base: string;
  readonly head: string;
  readonly signal: AbortSignal;
}
