import { BitSet } from '@sextant/library-block-index';
import { evaluate, leavesOf } from '@sextant/contracts/query';
import type { FileQuery, PathLeaf, TextLeaf } from './job.ts';
import type { AttachedSlice, AttachedSnapshot } from '../snapshot/attached-snapshot.ts';

/** Files of a snapshot that are searched together: those of a group with their text in one shard, or without text. */
export interface Partition {
  /** Among the partitions of the snapshot. */
  readonly number: number;
  readonly files: BitSet;
  /** What is left of the query; `all` where all of the files match. */
  readonly rest: FileQuery;
  /** The highest `nameScore` of their paths. */
  readonly named: number;
  /** Absent: only the paths of the files count. */
  readonly slice: AttachedSlice | undefined;
}

export type SlicePartition = Partition & { readonly slice: AttachedSlice };

/** Files with similar name scores. */
export interface NameLevel {
  readonly files: BitSet;
  /** The highest `nameScore` of their paths. */
  readonly named: number;
}

interface PartitionContext {
  readonly matchesPath: (leaf: Leaf) => BitSet;
  /** The files that match, for queries whose groups would be too many. */
  readonly matching: () => Generator<void, BitSet>;
  readonly wantsPathsOnly: boolean;
  readonly levelsOf: (files: BitSet) => readonly NameLevel[];
}

/** Divides the search of a snapshot, always in the same way: other threads know partitions by their numbers. */
export function* partitionsOf(
  snapshot: AttachedSnapshot,
  query: FileQuery,
  { matchesPath, matching, wantsPathsOnly, levelsOf }: PartitionContext,
): Generator<void, Partition[]> {
  const groups: readonly FileGroup[] = groupFiles(query, snapshot.everyFile, matchesPath) ?? [
    { files: yield* matching(), rest: { kind: 'all' } },
  ];
  return groups
    .flatMap((group) => levelsOf(group.files).map((level): NamedGroup => ({ ...group, ...level })))
    .flatMap((group) => (wantsPathsOnly ? byPath(group, group.files) : ofGroup(snapshot, group)))
    .map((each, number) => ({ ...each, number }));
}

type NamedGroup = FileGroup & NameLevel;
type Unnumbered = Omit<Partition, 'number'>;

const byPath = ({ rest, named }: NamedGroup, files: BitSet): Unnumbered[] =>
  isTrueWithoutContent(rest) && !files.isEmpty ? [{ files, rest: { kind: 'all' }, named, slice: undefined }] : [];

function ofGroup(snapshot: AttachedSnapshot, group: NamedGroup): Unnumbered[] {
  return [
    ...(isTrueWithoutContent(group.rest) ? byPath(group, withoutText(snapshot, group.files)) : []),
    ...snapshot.slices.map((slice) => ({ ...group, slice })),
  ];
}

function withoutText({ handle }: AttachedSnapshot, files: BitSet): BitSet {
  const found = new BitSet(files.size);
  for (const file of files.numbers()) if ((handle.documents[file] ?? -1) < 0) found.add(file);
  return found;
}

/** Files for which the same is left of a query once their paths are known. */
export interface FileGroup {
  readonly files: BitSet;
  /** Only `text` leaves are left in it, and they are about content. */
  readonly rest: FileQuery;
}

type Leaf = TextLeaf | PathLeaf;

/** Each group costs a search. With more groups than this, it is faster to find the files leaf by leaf. */
const [maxGroups, maxTexts] = [64, 512];

/** Decides what paths decide, and groups the files by what is left. Undefined where the groups would be too many. */
export function groupFiles(
  query: FileQuery,
  all: BitSet,
  matchesPath: (leaf: Leaf) => BitSet,
): readonly FileGroup[] | undefined {
  let groups: readonly FileGroup[] = [{ files: all, rest: query }];
  const leaves = inOrder(query);
  const most = Math.min(maxGroups, Math.ceil(maxTexts / leaves.length));
  for (const leaf of leaves) {
    const matching = matchesPath(leaf);
    // A text that no path has is left to the content everywhere.
    if (leaf.kind === 'text' && matching.isEmpty) continue;
    groups = groups.flatMap((group) =>
      leavesByKey(group.rest).has(keyOf(leaf)) ? split(group, leaf, { matching, all }) : group,
    );
    if (groups.length > most) groups = united(groups);
    if (groups.length > most) return undefined;
  }
  return united(groups);
}

/** Filters come first: one side of a filter is often decided, so that texts need not be looked up there. */
const inOrder = memoized((query) =>
  [...leavesByKey(query).values()].sort((a, b) => Number(a.kind === 'text') - Number(b.kind === 'text')),
);

/** The files for which a leaf is not true by their path, and those for which it is. */
function split(
  { files, rest }: FileGroup,
  leaf: Leaf,
  { matching, all }: { matching: BitSet; all: BitSet },
): FileGroup[] {
  const groups: FileGroup[] = [];
  const { ifFalse, ifTrue } = sidesOf(rest, leaf);
  if (ifFalse.kind !== 'none')
    groups.push({ rest: ifFalse, files: matching.isEmpty ? files : files.without(matching) });
  // The set of a filter itself, not a copy: its documents are cached by the object.
  if (ifTrue.kind !== 'none' && !matching.isEmpty)
    groups.push({ rest: ifTrue, files: files === all ? matching : files.and(matching) });
  return groups.filter((group) => !group.files.isEmpty);
}

function united(groups: readonly FileGroup[]): readonly FileGroup[] {
  if (groups.length < 2) return groups.filter(({ rest }) => rest.kind !== 'none');
  const byRest = new Map<string, FileGroup>();
  for (const { files, rest } of groups) {
    if (rest.kind === 'none') continue;
    const key = JSON.stringify(rest);
    const same = byRest.get(key);
    byRest.set(key, { rest, files: same ? same.files.or(files) : files });
  }
  return [...byRest.values()];
}

const keyOf = (leaf: Leaf): string => JSON.stringify(leaf);

/** Computes a value once for all snapshots that share a query. */
function memoized<T>(make: (query: FileQuery) => T): (query: FileQuery) => T {
  const known = new WeakMap<FileQuery, T>();
  return (query) => {
    const made = known.get(query) ?? make(query);
    known.set(query, made);
    return made;
  };
}

const leavesByKey = memoized(
  (query): ReadonlyMap<string, Leaf> => new Map(leavesOf(query).map(({ leaf }) => [keyOf(leaf), leaf])),
);

interface Sides {
  readonly ifFalse: FileQuery;
  readonly ifTrue: FileQuery;
}

const knownSides = memoized(() => new Map<string, Sides>());

/** The rest of a query if a leaf is false, and if it is true. */
function sidesOf(query: FileQuery, leaf: Leaf): Sides {
  const known = knownSides(query);
  const sides = known.get(keyOf(leaf)) ?? { ifFalse: reduce(query, leaf, false), ifTrue: reduce(query, leaf, true) };
  known.set(keyOf(leaf), sides);
  return sides;
}

/**
 * The rest of a query once a leaf is decided by the path. A text that the path has counts as found. A text that it lacks
 * is left to the content.
 */
function reduce(query: FileQuery, leaf: Leaf, isTrue: boolean): FileQuery {
  const key = keyOf(leaf);
  return evaluate(query, (each) => (keyOf(each) === key && (isTrue || each.kind === 'path') ? isTrue : undefined));
}

/** Whether the query is true of a file without content, once its path is decided. */
export const isTrueWithoutContent = (query: FileQuery): boolean => evaluate(query, () => false).kind === 'all';
