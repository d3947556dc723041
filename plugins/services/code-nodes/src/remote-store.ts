import type {
  BlobBatch,
  BlobOptions,
  ChangedEntry,
  CommitColumns,
  CommitRange,
  GitStore,
  Identity,
  ListedEntry,
  MappedIdentity,
  PatchOptions,
  PatchRange,
  StoreRun,
  StoredObject,
  StoredRef,
  StoredRepository,
  TreeOptions,
} from '@sextant/contracts';
import type { CatalogueEntry } from '@sextant/contracts/nodes';
import { SextantError } from '@sextant/core';
import { currentCaller } from './calling.ts';
import type { Asker, Nodes } from './nodes.ts';
import type { CatalogueReplica } from './replica.ts';

/**
 * Repositories of nodes for the services of a host that read trees and texts in bulk. They are read in the name of the
 * caller whose call it is, and a node checks what that caller may read.
 */
export class RemoteStore implements GitStore {
  readonly #replica: CatalogueReplica;
  readonly #nodes: Nodes;

  constructor(replica: CatalogueReplica, nodes: Nodes) {
    this.#replica = replica;
    this.#nodes = nodes;
  }

  /** None: whoever asks for all of them reads ahead, in nobody's name, and would fetch everything to this host. */
  async list(): Promise<StoredRepository[]> {
    return [];
  }

  async names(): Promise<string[]> {
    return this.#replica.all().map(({ info }) => info.name);
  }

  async find(name: string): Promise<StoredRepository | undefined> {
    const entry = this.#replica.find(name);
    return entry && entry.absent === undefined ? new RemoteStored(entry, this.#nodes) : undefined;
  }

  async whyAbsent(name: string): Promise<SextantError> {
    const absent = this.#replica.find(name)?.absent;
    if (!absent) return new SextantError('unavailable', 'the repository is no longer served');
    const { message, ...details } = absent;
    return new SextantError('unavailable', message, details);
  }

  onChange(listener: (name: string) => void): () => void {
    return this.#replica.onChange(listener);
  }

  putFirst(): void {
    // Nodes order their own commands.
  }

  async untilQuiet(): Promise<void> {
    // Nothing is read in the background.
  }
}

class RemoteStored implements StoredRepository {
  readonly name: string;
  readonly branches: readonly string[];
  readonly #entry: CatalogueEntry;
  readonly #nodes: Nodes;

  constructor(entry: CatalogueEntry, nodes: Nodes) {
    this.name = entry.info.name;
    this.branches = entry.branches;
    this.#entry = entry;
    this.#nodes = nodes;
  }

  tree(commit: string, { wantsSizes = false, signal }: TreeOptions): AsyncIterable<readonly ListedEntry[]> {
    return this.#nodes.stream('store.tree', { repo: this.name, commit, wantsSizes }, askerOf(signal));
  }

  async *changes(from: string, to: string, { signal }: StoreRun): AsyncGenerator<readonly ChangedEntry[]> {
    for await (const changes of this.#nodes.stream('store.changes', { repo: this.name, from, to }, askerOf(signal)))
      yield changes.map(({ before, ...change }) => ({ ...change, before: before ?? undefined }));
  }

  blobs(ids: readonly string[], { maxBytes, areChecked = false, signal }: BlobOptions): AsyncIterable<BlobBatch> {
    const asked = { repo: this.name, ids: [...ids], maxBytes, areChecked };
    return this.#nodes.stream('store.blobs', asked, askerOf(signal));
  }

  async sizes(ids: readonly string[], signal: AbortSignal): Promise<readonly (number | undefined)[]> {
    const sizes = await this.#nodes.ask('store.sizes', { repo: this.name, ids: [...ids] }, askerOf(signal));
    return sizes.map((size) => size ?? undefined);
  }

  async object(
    id: string,
    { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
  ): Promise<StoredObject | undefined> {
    const found = await this.#nodes.ask('store.object', { repo: this.name, id, maxBytes }, askerOf(signal));
    return found ? { size: found.size, content: found.bytes } : undefined;
  }

  defaultBranch(): string {
    return this.#entry.info.defaultBranch;
  }

  async head(signal: AbortSignal): Promise<string | undefined> {
    return (await this.#nodes.ask('store.head', { repo: this.name }, askerOf(signal))) ?? undefined;
  }

  resolve(revision: string, signal: AbortSignal): Promise<string> {
    return this.#nodes.ask('store.resolve', { repo: this.name, revision }, askerOf(signal));
  }

  refs(signal: AbortSignal): Promise<readonly StoredRef[]> {
    return this.#nodes.ask('store.refs', { repo: this.name }, askerOf(signal));
  }

  async graph(range: CommitRange, { signal }: StoreRun): Promise<CommitColumns> {
    const { include, exclude, ...more } = range;
    const asked = { ...more, include: [...include], ...(exclude && { exclude: [...exclude] }) };
    const { hashBytes, commits, bytes } = await this.#nodes.ask(
      'store.graph',
      { repo: this.name, range: asked },
      askerOf(signal),
    );
    return columnsOf({ hashBytes, commits, bytes });
  }

  async *patches(range: PatchRange, options: PatchOptions): AsyncGenerator<Uint8Array> {
    const { wants, contextLines, seconds, silentSeconds, signal } = options;
    const asked = {
      repo: this.name,
      range: sentRange(range),
      wants,
      ...(contextLines !== undefined && { contextLines }),
      ...(seconds !== undefined && { seconds }),
      ...(silentSeconds !== undefined && { silentSeconds }),
    };
    for await (const { bytes } of this.#nodes.stream('store.patches', asked, askerOf(signal))) yield bytes;
  }

  mailmap(people: readonly Identity[], { signal }: StoreRun): Promise<readonly MappedIdentity[]> {
    return this.#nodes.ask('store.mailmap', { repo: this.name, people: [...people] }, askerOf(signal));
  }

  shallow(signal: AbortSignal): Promise<string> {
    return this.#nodes.ask('store.shallow', { repo: this.name }, askerOf(signal));
  }
}

function askerOf(signal: AbortSignal): Asker {
  const caller = currentCaller();
  if (caller) return { caller, signal };
  throw new SextantError('forbidden', 'code nodes answer only in the name of a caller');
}

type SentRange = { commits: string[]; paths?: string[] } | { from: string; to: string; paths?: string[] };

function sentRange(range: PatchRange): SentRange {
  const paths = range.paths && { paths: [...range.paths] };
  if ('commits' in range) return { commits: [...range.commits], ...paths };
  return { from: range.from, to: range.to, ...paths };
}

interface SentGraph {
  readonly hashBytes: number;
  readonly commits: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The columns that `store.graph` of the protocol has behind each other. */
function columnsOf({ hashBytes, commits, bytes }: SentGraph): CommitColumns {
  let end = 0;
  // Copied, as a column begins where its numbers cannot.
  const next = (length: number): ArrayBuffer => bytes.slice(end, (end += length)).buffer;
  const hashes = new Uint8Array(next(hashBytes * commits));
  const times = new Float64Array(next(8 * commits));
  const parentStarts = new Uint32Array(next(4 * (commits + 1)));
  return { hashBytes, hashes, times, parentStarts, parents: new Uint8Array(next(bytes.length - end)) };
}
