import type { Collector } from '@sextant/library-block-index';
import type { SlicePartition } from '../match/partitions.ts';
import type { AttachedSnapshot } from '../snapshot/attached-snapshot.ts';
import type { FileScore } from './file-score.ts';
import type { TopFiles } from './top-files.ts';

export interface CollectorContext {
  readonly snapshot: AttachedSnapshot;
  readonly score: FileScore;
  readonly top: TopFiles;
  readonly target: number;
  readonly partition: SlicePartition;
}

/** Collects the files of a partition. A document wins with its best file. Of equal documents, the one with the first file wins. */
export class FileCollector implements Collector {
  readonly emit: Collector['emit'];
  readonly #context: CollectorContext;

  constructor(context: CollectorContext, emit: Collector['emit']) {
    this.#context = context;
    this.emit = emit;
  }

  upperBound(document: number): number {
    const { snapshot, score, partition } = this.#context;
    const { fileStarts, filesOf } = snapshot.handle;
    const at = partition.slice.handle.base + document;
    let bound = 0;
    // Without an object for each file, as all documents may be asked for.
    for (let i = fileStarts[at] ?? 0, end = fileStarts[at + 1] ?? 0; i < end; i += 1) {
      const file = filesOf[i] ?? 0;
      if (partition.files !== snapshot.everyFile && !partition.files.has(file)) continue;
      bound = Math.max(bound, score.boundOf(file, partition.named > 0));
    }
    return bound;
  }

  canWin(bound: number, document: number): boolean {
    const { top, target } = this.#context;
    return top.canStillWin(bound, target, this.tieBreak(document));
  }

  tieBreak(document: number): number {
    const { snapshot, partition } = this.#context;
    const { fileStarts, filesOf } = snapshot.handle;
    return filesOf[fileStarts[partition.slice.handle.base + document] ?? 0] ?? 0;
  }
}
