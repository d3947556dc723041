import { SextantError } from '@sextant/core';
import type { Logger } from '@sextant/core';
import type { StoredRepository } from '@sextant/contracts';
import type { QueryThreads } from '../query/query-threads.ts';
import { branchCommits } from './branches.ts';
import { countFiles, noFiles } from './file-counts.ts';
import type { FileCounts } from './file-counts.ts';
import { HeldView } from './held-view.ts';
import { indexFailure } from './index-failure.ts';
import type { StoredShard } from '../threads/protocol.ts';
import { loadShards } from './load-shards.ts';
import type { SharedIndex } from './shared-index.ts';
import { ShardSet } from './shard-set.ts';
import { parseTree, treeArguments } from './tree.ts';
import type { Tree } from './tree.ts';
import { makeView, pathText } from './view.ts';
import { wantedBlobs } from './wanted-blobs.ts';

export interface RepositoryIndexOptions {
  /** The repository as it is now: asked for each time, because it may be replaced. */
  readonly repository: () => StoredRepository | undefined;
  readonly name: string;
  readonly folder: string;
  readonly shared: SharedIndex;
  readonly threads: QueryThreads;
  readonly branches: number;
  readonly maxFileBytes: number;
  readonly log: Logger;
}

/** Views of commits that are no branch are kept for the next question, so many of them. */
const viewsKept = 8;
/** With more small shards than this, they are built anew as one. */
const maxShards = 12;
/** Longest time of one git command while indexing, in seconds. */
const gitSeconds = 3600;
const idsPerWrite = 1000;

/** The index of one repository: its shards on disk and in memory, and its commits laid over them. */
export class RepositoryIndex {
  readonly #options: RepositoryIndexOptions;
  #shards: ShardSet | undefined;
  /** By commit, the one asked for last at the end. */
  readonly #views = new Map<string, Promise<HeldView>>();
  #indexed: ReadonlySet<string> = new Set();
  #work: Promise<unknown> = Promise.resolve();
  #closing = new AbortController();
  failure: string | undefined;
  isReady = false;
  /** Of the default branch. */
  counts: FileCounts = noFiles;

  constructor(options: RepositoryIndexOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  /** Follows the branches; after it they are answered from the index. */
  update(isUrgent: boolean): Promise<void> {
    return this.#inTurn(async () => {
      const repository = this.#options.repository();
      if (!repository) return;
      const commits = await branchCommits(repository, this.#options.branches, this.#closing.signal);
      const views = [];
      for (const commit of commits) views.push(await this.#viewOf(commit, isUrgent));
      this.counts = views[0]?.counts ?? noFiles;
      this.#indexed = new Set(commits);
      await this.#compact(commits);
      this.#forgetOthers();
      this.isReady = true;
      this.failure = undefined;
    }).catch((error: unknown) => {
      this.failure = indexFailure(this.#options.name, error).message;
      this.#warn(error, 'a repository could not be indexed');
    });
  }

  #warn(error: unknown, message: string): void {
    if (!this.#closing.signal.aborted) this.#options.log.warn({ repository: this.#options.name, err: error }, message);
  }

  /** The files of a commit, to be released after use. What is not indexed of it is indexed now. */
  async view(commit: string, signal: AbortSignal): Promise<HeldView> {
    for (;;) {
      const known = this.#asked(commit) ?? this.#inTurn(() => this.#otherView(commit));
      const view = await unlessAborted(known, signal).catch((error: unknown) => {
        signal.throwIfAborted();
        throw indexFailure(this.#options.name, error);
      });
      if (view.hold()) return view;
    }
  }

  /** A view that is known; it becomes the one that was asked for last. */
  #asked(commit: string): Promise<HeldView> | undefined {
    const view = this.#views.get(commit);
    if (view && this.#views.delete(commit)) this.#views.set(commit, view);
    return view;
  }

  /** Of any commit; whoever goes through a history makes room for each by another. */
  async #otherView(commit: string): Promise<HeldView> {
    const view = await this.#viewOf(commit, true);
    this.#forgetOthers();
    // What only other commits have is indexed too; it must not grow for ever where nothing is pushed.
    if ((this.#shards?.shards.length ?? 0) > maxShards) void this.update(false);
    return view;
  }

  async close(): Promise<void> {
    this.#closing.abort(new SextantError('unavailable', 'the server is stopping'));
    await this.#work.catch(() => undefined);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#work.catch(() => undefined).then(work);
    this.#work = result.catch(() => undefined);
    return result;
  }

  async #viewOf(commit: string, isUrgent: boolean): Promise<HeldView> {
    const view = this.#asked(commit) ?? this.#makeView(commit, isUrgent);
    this.#views.set(commit, view);
    try {
      return await view;
    } catch (error) {
      this.#views.delete(commit);
      throw error;
    }
  }

  async #makeView(commit: string, isUrgent: boolean): Promise<HeldView> {
    const { shared, threads, folder } = this.#options;
    this.#shards ??= await loadShards(shared, folder);
    const tree = await this.#readTree(commit);
    const { maxFileBytes } = this.#options;
    const isWanted = (blob: string): boolean => !(this.#shards?.isKnown(blob) ?? false);
    const missing = wantedBlobs(tree, { maxFileBytes, isWanted });
    if (missing.length > 0) await this.#build(missing, isUrgent);
    const { text, starts, odd } = pathText(tree);
    const paths = await shared.paths(text);
    const handle = makeView({ tree, shards: this.#shards, paths, pathStarts: starts, oddPaths: odd });
    threads.add(handle);
    const counts = countFiles(tree, { shards: this.#shards, classes: handle.classes, maxFileBytes });
    return new HeldView({ handle, counts }, () => {
      threads.forget(handle.id);
      const release = shared.release([paths.handle.address, paths.address]);
      release.catch((error: unknown) => this.#warn(error, 'memory of an index was not given back'));
    });
  }

  async #readTree(commit: string): Promise<Tree> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.#git(treeArguments(commit))) chunks.push(chunk);
    return parseTree(Buffer.concat(chunks));
  }

  #git(args: readonly string[], input?: Iterable<Uint8Array>): AsyncIterable<Uint8Array> {
    const repository = this.#options.repository();
    if (!repository) throw new SextantError('unavailable', 'the repository is no longer served');
    return repository.stream({ args, signal: this.#closing.signal, seconds: gitSeconds, ...(input && { input }) });
  }

  async #build(blobs: readonly string[], isUrgent: boolean): Promise<void> {
    const { shared, folder, name, log } = this.#options;
    const before = this.#shards ?? new ShardSet([]);
    const started = performance.now();
    const pieces = this.#git(['cat-file', '--batch', '--buffer'], idLines(blobs));
    const built = await shared.build({ folder, number: before.nextNumber, pieces, isUrgent });
    this.#shards = new ShardSet([...before.shards, ...built]);
    const milliseconds = Math.round(performance.now() - started);
    log.info({ repository: name, files: blobs.length, milliseconds }, 'files of a repository were indexed');
  }

  /** Builds one shard of what the branches have in small ones, where many of these would slow searches down. */
  async #compact(commits: readonly string[]): Promise<void> {
    const old = this.#shards;
    if (!old || old.shards.length <= maxShards) return;
    const trees = await Promise.all(commits.map((commit) => this.#readTree(commit)));
    const wanted = [
      ...new Set(
        trees.flatMap((tree) => wantedBlobs(tree, { maxFileBytes: this.#options.maxFileBytes, isWanted: () => true })),
      ),
    ];
    const kept = new ShardSet(old.worthKeeping(wanted));
    if (old.shards.length - kept.shards.length <= maxShards) return;
    const built = await this.#options.shared.build({
      folder: this.#options.folder,
      number: old.nextNumber,
      pieces: this.#git(['cat-file', '--batch', '--buffer'], idLines(wanted.filter((blob) => !kept.isKnown(blob)))),
      isUrgent: false,
    });
    this.#shards = new ShardSet([...kept.shards, ...built]);
    const views = [...this.#views.values()];
    this.#views.clear();
    for (const commit of commits) await this.#viewOf(commit, false);
    const dropped = old.shards.filter((shard) => !kept.shards.includes(shard));
    // Not waited for: who holds one of these views may be waiting for one of the new ones.
    this.#dropShards(dropped, views).catch((error: unknown) =>
      this.#warn(error, 'old files of an index were not removed'),
    );
  }

  /** Once nobody looks at them any more. */
  async #dropShards(shards: readonly StoredShard[], views: readonly Promise<HeldView>[]): Promise<void> {
    const { shared, folder } = this.#options;
    await Promise.all(views.map(async (view) => (await view).retire()));
    await shared.drop(folder, shards);
  }

  /** Commits that are no branch, but for the last ones that were asked for. */
  #forgetOthers(): void {
    const others = [...this.#views].filter(([commit]) => !this.#indexed.has(commit));
    for (const [commit, view] of others.slice(0, Math.max(0, others.length - viewsKept))) {
      this.#views.delete(commit);
      void view.then((each) => each.retire());
    }
  }
}

function* idLines(blobs: readonly string[]): Generator<Uint8Array> {
  for (let at = 0; at < blobs.length; at += idsPerWrite)
    yield Buffer.from(
      blobs
        .slice(at, at + idsPerWrite)
        .map((id) => `${id}\n`)
        .join(''),
    );
}

/** The value, or the signal's reason when that aborts first; what makes the value goes on for others. */
async function unlessAborted<T>(value: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([value, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
