import { randomUUID } from 'node:crypto';
import type { MappedIdentity, StoreRun, StoredRepository } from '@sextant/contracts';
import { SextantError } from '@sextant/core';
import type { DataFileProblem } from '@sextant/core';
import { SingleFlight } from '@sextant/library-workers';
import type { RestartableThread } from '@sextant/library-workers';
import { Manifest } from '../shards/manifest.ts';
import type { ShardEntry } from '../shards/manifest.ts';
import type { HistoryThreads } from '../threads/history-threads.ts';
import type { MappedShards, SearchServer } from '../threads/search-server.ts';
import { Ingest } from './ingest.ts';

export interface UpdateRequest {
  readonly repository: StoredRepository;
  /** The state of git's shallow file. */
  readonly shallow: string;
  /** Git commands at once. */
  readonly processes: number;
  /** Whether the update should stop, because others wait. */
  readonly isOver: () => boolean;
  readonly signal: AbortSignal;
}

export interface RepositoryIndexParts {
  readonly threads: HistoryThreads;
  /** How long commits are kept that no ref reaches any more. */
  readonly keepSeconds: number;
  /** Most bytes of changed lines and messages. */
  readonly mostBytes: number;
}

interface MailmapRequest extends StoreRun {
  readonly repository: StoredRepository;
}

const keyOf = ({ shards }: MappedShards): string => shards.join(' ');

/** The index of one repository. */
export class RepositoryIndex {
  readonly folder: string;
  readonly #threads: HistoryThreads;
  readonly #manifest: Manifest;
  readonly #keepSeconds: number;
  readonly #mostBytes: number;
  /** Indexed commits of which git failed to read the changes. */
  failedCommits = 0;
  /** What the mailmap makes of the authors of these shards. */
  #mailmap: { readonly shards: string; readonly mapped: readonly MappedIdentity[] } = { shards: '', mapped: [] };
  readonly #mailmapReads = new SingleFlight<string, readonly MappedIdentity[]>();
  #progress = (): number => 0;

  constructor(folder: string, { threads, keepSeconds, mostBytes }: RepositoryIndexParts) {
    this.#mostBytes = mostBytes;
    this.folder = folder;
    this.#threads = threads;
    this.#keepSeconds = keepSeconds;
    this.#manifest = new Manifest(folder);
  }

  /** Why an index that was there must be made again. */
  get problem(): DataFileProblem | undefined {
    return this.#manifest.problem;
  }

  /** The shards that can be searched: none if they were made under another state of the shallow file. */
  set(shallow: string): MappedShards {
    const { shards, shallow: known } = this.#manifest.state;
    const names = known === shallow ? shards.map(({ name }) => name) : [];
    return { folder: this.folder, shards: names, mailmap: this.#mailmap.mapped };
  }

  /** The same, with what the mailmap makes of their authors: without it, a search by author would miss commits. */
  async mappedSet({ repository, shallow, signal }: Omit<UpdateRequest, 'processes' | 'isOver'>): Promise<MappedShards> {
    const set = this.set(shallow);
    const key = keyOf(set);
    if (this.#mailmap.shards === key) return set;
    const read = (ending: AbortSignal): Promise<readonly MappedIdentity[]> =>
      this.#readMailmap(set, { repository, signal: ending });
    return { ...set, mailmap: await this.#mailmapReads.run(key, signal, read) };
  }

  /** Whether the shards were made under another state of the shallow file. */
  isOutdated(shallow: string): boolean {
    const { shards, shallow: known } = this.#manifest.state;
    return shards.length > 0 && known !== shallow;
  }

  get heads(): readonly string[] {
    return this.#manifest.state.heads;
  }

  /** Whether commits are kept that no ref reaches any more. */
  get hasLeft(): boolean {
    return this.#manifest.state.left.length > 0;
  }

  get commits(): number {
    return this.#manifest.state.shards.reduce((sum, { commits }) => sum + commits, 0);
  }

  /** How much of the update is done, from 0 to 1. */
  get progress(): number {
    return this.#progress();
  }

  /**
   * Indexes new commits that HEAD, branches and tags reach, the newest first. Returns whether that is all. It may be aborted anywhere.
   * Throws `too_large` where there is more text than may be indexed.
   */
  async update(request: UpdateRequest): Promise<boolean> {
    const { repository, shallow, signal } = request;
    if (shallow !== this.#manifest.state.shallow) this.clear(shallow);
    const tips = await indexedTips(repository, signal);
    const known = new Set(this.heads);
    const unknown = tips.filter((tip) => !known.has(tip));
    if (unknown.length > 0) {
      // Only heads that refs still name are excluded: git may have removed commits of the others.
      const exclude = tips.filter((tip) => known.has(tip));
      const commits = await repository.graph({ include: unknown, exclude }, { signal, isBackground: true });
      const missing = await this.#threads.quick.call('outline', { set: this.set(shallow), commits });
      const isWhole = await this.#ingest(missing, request);
      if (!isWhole) {
        await this.#merge(signal);
        return false;
      }
    }
    await this.#follow(tips);
    if (unknown.length > 0) {
      await this.#merge(signal);
      await this.#threads.tell('dropOutlines', this.folder);
    }
    await this.#readMailmap(this.set(shallow), { repository, signal, isBackground: true });
    this.#progress = () => 1;
    return true;
  }

  /** Asks git for the outline of commits that a searching thread does not know, and tells the thread. */
  async tellMissing(
    client: RestartableThread<SearchServer>,
    hashes: readonly string[],
    { repository, shallow, signal }: Omit<UpdateRequest, 'processes' | 'isOver'>,
  ): Promise<void> {
    const set = this.set(shallow);
    const exclude = set.shards.length === 0 ? [] : this.heads;
    const commits = await repository.graph({ include: hashes, exclude }, { signal });
    await client.call('outline', { set, commits });
  }

  /** Drops the shards, so that everything is indexed again. */
  clear(shallow: string): void {
    this.#manifest.replace({ shards: [], heads: [], left: [], shallow });
    this.#forget();
  }

  remove(): void {
    this.#manifest.remove();
    this.#forget();
  }

  async #ingest(hashes: readonly string[], request: UpdateRequest): Promise<boolean> {
    const roomBytes = this.#mostBytes - this.#manifest.state.shards.reduce((sum, { bytes }) => sum + bytes, 0);
    if (roomBytes <= 0 && hashes.length > 0) throw noRoom(this.#mostBytes);
    const { folder } = this;
    this.#manifest.prepare();
    const thread = this.#threads.ingest;
    const onShard = (shard: ShardEntry): void => this.#add(shard);
    const ingest = new Ingest(hashes, { ...request, folder, onShard, thread, roomBytes });
    this.#progress = () => ingest.commits / Math.max(1, hashes.length);
    return thread.during(() => ingest.run());
  }

  #add(shard: ShardEntry, instead: readonly string[] = []): void {
    const { state } = this.#manifest;
    const kept = state.shards.filter(({ name }) => !instead.includes(name));
    this.#manifest.replace({ ...state, shards: shard.commits === 0 ? kept : [...kept, shard] });
  }

  /** Call it when everything is indexed. It notes heads that the tips no longer reach, and drops commits that were unreached for long. */
  async #follow(tips: readonly string[]): Promise<void> {
    const { heads, left } = this.#manifest.state;
    const now = Date.now() / 1000;
    const since = new Map([
      ...heads.map((head) => [head, now] as const),
      ...left.map((each) => [each.head, each.since] as const),
    ]);
    const set = this.set(this.#manifest.state.shallow);
    const unreached =
      since.size === 0 ? [] : await this.#threads.quick.call('unreached', { set, tips, among: [...since.keys()] });
    const all = unreached.map((head) => ({ head, since: since.get(head) ?? now }));
    const kept = all.filter((each) => each.since > now - this.#keepSeconds);
    if (all.length > kept.length) await this.#prune([...tips, ...kept.map(({ head }) => head)]);
    if (heads.join() !== tips.join() || left.length !== kept.length || all.length > 0)
      this.#manifest.replace({ ...this.#manifest.state, heads: tips, left: kept });
  }

  async #prune(tips: readonly string[]): Promise<void> {
    const set = this.set(this.#manifest.state.shallow);
    for (const { instead, shard } of await this.#threads.ingest.call('prune', { set, tips }))
      this.#add(shard, [instead]);
  }

  /** Merges small shards, so that a search has to open few. */
  async #merge(signal: AbortSignal): Promise<void> {
    for (;;) {
      const shards = shardsToMerge(this.#manifest.state.shards);
      if (shards.length === 0 || signal.aborted) return;
      const set = { folder: this.folder, shards };
      this.#add(await this.#threads.ingest.call('merge', { set, name: randomUUID() }), shards);
    }
  }

  async #readMailmap(set: MappedShards, { repository, ...run }: MailmapRequest): Promise<readonly MappedIdentity[]> {
    const { people, failedCommits } = await this.#threads.quick.call('open', set);
    this.failedCommits = failedCommits;
    const mapped = await repository.mailmap(people, run);
    this.#mailmap = { shards: keyOf(set), mapped };
    return mapped;
  }

  #forget(): void {
    void this.#threads.tell('forget', this.folder);
  }
}

/** Two neighbours in time are merged while the larger is less than this many times as large as the smaller. */
const mergeFactor = 4;
/** Most bytes of changed lines and messages of a merged shard. */
const mergedBytes = 128 << 20;

/** Names of two shards to merge; none when all shards are large enough. */
function shardsToMerge(shards: readonly ShardEntry[]): readonly string[] {
  const sorted = shards.toSorted((a, b) => b.newest - a.newest);
  for (const [index, newer] of sorted.entries()) {
    const older = sorted[index + 1];
    if (!older || newer.bytes + older.bytes > mergedBytes) continue;
    if (Math.min(newer.bytes, older.bytes) * mergeFactor > Math.max(newer.bytes, older.bytes))
      return [newer.name, older.name];
  }
  return [];
}

const noRoom = (bytes: number): SextantError =>
  new SextantError(
    'too_large',
    `its changed lines and messages are more than ${bytes} bytes; the newest commits are indexed, git answers for the others; the setting indexBytes of service-history-index allows more`,
  );

/** HEAD, branches and tags. */
async function indexedTips(repository: StoredRepository, signal: AbortSignal): Promise<string[]> {
  const head = await repository.head(signal);
  const refs = (await repository.refs(signal)).filter(({ name }) => /^refs\/(heads|tags)\//.test(name));
  return [...new Set([...(head === undefined ? [] : [head]), ...refs.map(({ commit }) => commit)])];
}
