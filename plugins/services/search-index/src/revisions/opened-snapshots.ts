import type { LeftOut, Target } from '@sextant/contracts';
import { SextantError, joinSignals } from '@sextant/core';
import { failureReason } from '../indexing/index-failure.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { CurrentHead } from '../indexing/searchable-head.ts';
import type { Indexer } from '../indexing/indexer.ts';
import type { SearchedCommit } from '../show/results.ts';

export interface OpenedSnapshot {
  readonly snapshot: Snapshot;
  readonly target: Target;
  /** An older commit than the target's where the newest is still being indexed, or cannot be. */
  readonly commit: string;
  /** Why the newest cannot be indexed. */
  readonly failure?: unknown;
}

interface OpenOptions {
  readonly leftOut: LeftOut;
  /** Longest wait for commits that are not indexed yet. */
  readonly waitSeconds: number;
  readonly signal: AbortSignal;
}

/** Most repositories that a note names. */
const repositoriesShown = 10;

/** The snapshots that a search reads, in the order of its targets. They are held until it ends. */
export class OpenedSnapshots {
  readonly #opened: readonly OpenedSnapshot[];

  private constructor(opened: readonly OpenedSnapshot[]) {
    this.#opened = opened;
  }

  /** Leaves out repositories that are not ready in time. */
  static async open(indexer: Indexer, targets: readonly Target[], options: OpenOptions): Promise<OpenedSnapshots> {
    const atOnce = targets.map((target) => openAtOnce(indexer, target));
    if (atOnce.every((opened) => opened !== undefined)) return new OpenedSnapshots(atOnce);
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(), options.waitSeconds * 1000);
    const signal = joinSignals(options.signal, patience.signal);
    const open = async (target: Target): Promise<OpenedSnapshot | undefined> => {
      const { name } = target.repository;
      const openWhenReady = async (): Promise<OpenedSnapshot> => {
        const isHead = target.revision === undefined;
        const { commit, failure }: CurrentHead = isHead ? await indexer.current(name, target.commit, signal) : target;
        const snapshot = await indexer.snapshot(name, commit, signal);
        return { snapshot, target, commit, failure };
      };
      const orStillIndexed = (): Promise<OpenedSnapshot> =>
        openWhenReady().catch((error: unknown) => {
          throw patience.signal.aborted && !options.signal.aborted ? stillIndexed(name) : error;
        });
      return options.leftOut.orWithout(name, orStillIndexed, () => indexer.indexOf(name)?.failure?.since);
    };
    const results = await Promise.allSettled(targets.map((target, at) => atOnce[at] ?? open(target)));
    clearTimeout(timer);
    const snapshots = new OpenedSnapshots(
      results.flatMap((result) => (result.status === 'fulfilled' && result.value) || []),
    );
    const failed = results.find((result) => result.status === 'rejected');
    if (!failed) return snapshots;
    snapshots.#release();
    throw failed.reason;
  }

  get list(): readonly OpenedSnapshot[] {
    return this.#opened;
  }

  /** What the target of a number stands for. */
  readonly searched = (number: number): SearchedCommit | undefined => {
    const opened = this.#opened[number];
    if (!opened) return undefined;
    const { commit, target } = opened;
    return { repo: target.repository.name, commit, revision: target.revision };
  };

  /** Notes about older commits that were searched instead: those that will be replaced soon, and those that will not. */
  get notes(): string[] {
    const behind = this.#opened.filter(({ target, commit }) => commit !== target.commit);
    const failed = behind.filter(({ failure }) => failure !== undefined);
    const coming = behind.filter(({ failure }) => failure === undefined);
    return [
      ...noteOf(coming, () => 'is still being indexed'),
      ...noteOf(failed, ({ failure }) => `could not be indexed (${failureReason(failure)})`),
    ];
  }

  /** The files whose content could not be read, which were searched by name only, and a sentence for the caller about them. */
  get unread(): { files: number; notes: string[] } {
    const lacking = this.#opened.filter(({ snapshot }) => snapshot.counts.missing > 0);
    const counts = new Map(lacking.map(({ target, snapshot }) => [target.repository.name, snapshot.counts.missing]));
    if (counts.size === 0) return { files: 0, notes: [] };
    const shown = [...counts].slice(0, repositoriesShown);
    const more = counts.size > shown.length ? ` and of ${counts.size - shown.length} more repositories` : '';
    const named = shown.map(([name, files]) => `${files} ${files === 1 ? 'file' : 'files'} of ${name}`);
    const note = `Not searched: ${named.join(', ')}${more} (content missing or damaged).`;
    return { files: counts.values().reduce((sum, files) => sum + files, 0), notes: [note] };
  }

  /** Releases them when the work ends. */
  async holdWhile<T>(work: (list: readonly OpenedSnapshot[]) => Promise<T>): Promise<T> {
    try {
      return await work(this.#opened);
    } finally {
      this.#release();
    }
  }

  #release(): void {
    for (const { snapshot } of this.#opened) snapshot.release();
  }
}

/** Without waiting: undefined unless the target is a HEAD whose snapshot was searched last. */
function openAtOnce(indexer: Indexer, target: Target): OpenedSnapshot | undefined {
  const { repository, revision, commit } = target;
  const snapshot = revision === undefined ? indexer.snapshotAtOnce(repository.name, commit) : undefined;
  return snapshot && { snapshot, target, commit };
}

function noteOf([first, ...others]: readonly OpenedSnapshot[], state: (first: OpenedSnapshot) => string): string[] {
  if (!first) return [];
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  return [`The last change of ${first.target.repository.name}${more} ${state(first)}: searched as before it.`];
}

const stillIndexed = (name: string): SextantError =>
  new SextantError('unavailable', `repository "${name}" is still being indexed; search it again in a moment`, {
    retryAfterSeconds: 10,
  });
