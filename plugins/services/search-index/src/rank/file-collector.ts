import type { Collector, FirstTier, Interest, KnownMatches, Matches } from '@sextant/library-block-index';
import type { SlicePartition } from '../match/partitions.ts';
import type { AttachedSnapshot } from '../snapshot/attached-snapshot.ts';
import type { TopFiles } from './top-files.ts';
import type { PhraseLimits, UpperBounds } from './upper-bounds.ts';

export interface CollectorContext {
  readonly snapshot: AttachedSnapshot;
  readonly bounds: UpperBounds;
  readonly top: TopFiles;
  readonly target: number;
  readonly partition: SlicePartition;
  readonly limits: PhraseLimits;
  readonly areMany: boolean;
}

interface MatchHandlers {
  readonly emit: Collector['emit'];
  /** The bound of a document with all of its matches. Absent in a first pass, which knows only some terms. */
  readonly boundWith?: (document: number, matches: Matches) => number;
}

/** Collects the files of a partition: a document wins with its best file, and ties are decided by the number of its first file. */
export class FileCollector implements Collector {
  readonly emit: Collector['emit'];
  readonly #context: CollectorContext;
  readonly #boundWith: MatchHandlers['boundWith'];

  constructor(context: CollectorContext, { emit, boundWith }: MatchHandlers) {
    this.#context = context;
    this.emit = emit;
    this.#boundWith = boundWith;
  }

  upperBound(document: number, known?: KnownMatches): number {
    const { bounds, partition, limits, top, target } = this.#context;
    if (!known) return bounds.ofDocument(partition, document, limits.of(document));
    // The first pass measures phrases even while every file can win, because the second pass needs them.
    if (this.#boundWith && top.canStillWin(0, target)) return Infinity;
    if (!known.text) return this.#boundWith?.(document, known.matches) ?? Infinity;
    return bounds.ofDocument(partition, document, limits.with(document, known.text, known.matches));
  }

  interest(bound: number, document?: number): Interest {
    const { top, target } = this.#context;
    return top.interest(bound, target, document === undefined ? 0 : this.tieBreak(document));
  }

  tieBreak(document: number): number {
    const { snapshot, partition } = this.#context;
    const { fileStarts, filesOf } = snapshot.handle;
    return filesOf[fileStarts[partition.slice.handle.base + document] ?? 0] ?? 0;
  }

  firstTier(): FirstTier | undefined {
    const { areMany, bounds, partition } = this.#context;
    return areMany ? bounds.firstTier(partition) : undefined;
  }
}
