import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { contentsIn, lfsPointer } from '@sextant/contracts';
import type { GitStore, Query, StoredRepository } from '@sextant/contracts';
import { Retries, SextantError, joinSignals, messageOf, timeoutSignal } from '@sextant/core';
import type { Logger, ServiceFailure, ServiceStatus } from '@sextant/core';
import { replaceFile } from '@sextant/library-block-index';
import { indexedText } from '@sextant/library-keyword-search';
import { FairMutex, IndexQueue } from '@sextant/library-workers';
import { z } from 'zod';
import type { CommitFiles } from './commit-files.ts';
import type { SearchZoektConfig } from './config.ts';
import { Webserver, runProgram } from './programs.ts';
import { ZoektClient } from './zoekt-client.ts';
import type { Listed } from './zoekt-client.ts';
import { zoektQuery } from './zoekt-query.ts';

interface IndexParts {
  readonly store: GitStore;
  readonly files: CommitFiles;
  /** Of all indexes: each has a folder of its own in it. */
  readonly folder: string;
  readonly settings: SearchZoektConfig;
  readonly log: Logger;
}

/** A commit that zoekt searches. */
export interface IndexedCommit {
  /** Of the repository in zoekt. */
  readonly id: number;
  readonly commit: string;
  /** Files with text that zoekt does not search: their text has less than three bytes, or their path cannot be written to a disk. */
  readonly others: readonly string[];
  readonly files: number;
}

/** A change of how files are written for zoekt needs another number: all is indexed anew. */
const format = 2;

/** What is kept over restarts. */
const records = z.strictObject({
  format: z.literal(format),
  /** That the files were written with. */
  maxFileBytes: z.int(),
  /** Of all repositories that were served at some time: an id is never used again. */
  ids: z.array(z.tuple([z.string(), z.int()])),
  indexed: z.array(
    z.tuple([
      z.string(),
      z.strictObject({ id: z.int(), commit: z.string(), others: z.array(z.string()), files: z.int() }),
    ]),
  ),
});

type Records = z.output<typeof records>;

/**
 * The folders of the indexes that are open in this process, with the ids of the repositories that are being written. There are two while a change of
 * the configuration replaces one by another, which may fail: they share no folder, as each shall find what it has written.
 */
const openFolders = new Map<string, ReadonlySet<number>>();

const pollMs = 50;
/** Of a server that loads its index: a list of many repositories costs it time. */
const mostPollMs = 2000;
/** Records are as long as there are repositories: those of a second are written together. What is lost of them is indexed anew. */
const recordsMs = 1000;
const all: Query = { kind: 'all' };
/** Bytes below which zoekt leaves a text out. */
const leastBytes = 3;
/** No text is left out because it has many trigrams. */
const mostTrigrams = 100_000_000;

/**
 * The default branches of all repositories in zoekt. Files are read from the store and written to a folder for zoekt-index: it reads no repository, so
 * it needs no access to one, and has the texts as a search reads them.
 */
export class ZoektIndex {
  readonly #parts: IndexParts;
  readonly #folder: string;
  readonly #writing = new Set<number>();
  /** One of each server: a server that does not answer holds up its own repositories. */
  readonly #queues: readonly IndexQueue[];
  readonly #indexing = new FairMutex();
  readonly #indexed = new Map<string, IndexedCommit>();
  /** What was indexed before the start, until its server has told whether it has it. */
  readonly #kept: Map<string, IndexedCommit>;
  readonly #ids: Map<string, number>;
  #lastId = 0;
  #hasNewIds = false;
  readonly #waiting = new Map<string, PromiseWithResolvers<void>>();
  #servers: readonly { readonly webserver: Webserver; readonly client: ZoektClient }[] = [];
  readonly #stop = new AbortController();
  #confirming: Promise<unknown> | undefined;
  #recording: Promise<void> | undefined;
  #unrecorded: Omit<ServiceFailure, 'nextTry'> | undefined;
  readonly #retries = new Retries(() => this.#recordSoon());
  #unlisten: (() => void) | undefined;
  #hasListed = false;

  constructor(parts: IndexParts) {
    this.#parts = parts;
    const { folder, settings } = parts;
    mkdirSync(folder, { recursive: true });
    const numbers = readdirSync(folder)
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .sort((a, b) => b - a);
    const before = numbers
      .map((number) => join(folder, String(number)))
      .map((path) => ({ path, kept: readRecords(path, settings) }))
      .find(({ kept }) => kept);
    // Without records nobody knows whose the indexes are.
    for (const path of readdirSync(folder).map((name) => join(folder, name)))
      if (path !== before?.path && !openFolders.has(path)) rmSync(path, { recursive: true, force: true });
    // It goes on in the last folder, unless another index is open there.
    const other = before && openFolders.has(before.path) ? before.path : undefined;
    this.#folder = before && !other ? before.path : join(folder, String((numbers[0] ?? 0) + 1));
    // A staged tree of a run that was cut off.
    rmSync(this.#stagingFolder, { recursive: true, force: true });
    this.#ids = new Map(before?.kept?.ids);
    this.#kept = new Map(before?.kept?.indexed);
    for (const id of this.#ids.values()) this.#lastId = Math.max(this.#lastId, id);
    for (let server = 0; server < settings.servers; server += 1)
      mkdirSync(this.#shardFolder(server), { recursive: true });
    if (other === undefined) this.#moveShards();
    else this.#linkShards(other);
    this.#writeRecords();
    openFolders.set(this.#folder, this.#writing);
    this.#queues = Array.from(
      { length: settings.servers },
      () =>
        new IndexQueue({
          update: (name, { signal }) => this.#update(name, signal),
          onFailure: (repository, error) =>
            parts.log.warn({ repository, reason: messageOf(error) }, 'a repository was not indexed by zoekt'),
          turnSeconds: settings.indexSeconds,
        }),
    );
  }

  async start(): Promise<void> {
    const { store, settings, log } = this.#parts;
    this.#servers = await Promise.all(
      Array.from({ length: settings.servers }, async (_, number) => {
        const webserver = await Webserver.start(settings.programs, this.#shardFolder(number), log);
        return { webserver, client: new ZoektClient(webserver.url) };
      }),
    );
    this.#unlisten = store.onChange((name) => this.#queueOf(name)?.add(name));
    for (const { name } of await store.list()) if (!this.#kept.has(name)) this.#queueOf(name)?.start([name]);
    this.#confirming = Promise.all(this.#servers.map((_, number) => this.#confirm(number)));
    this.#hasListed = true;
  }

  /** Undefined while nothing of the repository is indexed. */
  commitOf(name: string): IndexedCommit | undefined {
    return this.#indexed.get(name);
  }

  failureOf(name: string): ReturnType<IndexQueue['failures']['find']> {
    return this.#queueOf(name)?.failures.find((failure) => failure.name === name);
  }

  refresh(name: string): void {
    const queue = this.#queueOf(name);
    queue?.add(name);
    queue?.prefer(name);
  }

  /** The server that shall have a repository and does not answer now. */
  silentServerOf(name: string): number | undefined {
    const server = this.serverOf(this.#idOf(name));
    return this.#servers[server]?.client.isSilent ? server : undefined;
  }

  /** Resolves when the repository was indexed or has failed, or its server does not answer. */
  async settled(name: string): Promise<void> {
    if (this.#indexed.has(name) || this.failureOf(name) || this.silentServerOf(name) !== undefined) return;
    const waiting = this.#waiting.get(name) ?? Promise.withResolvers<void>();
    this.#waiting.set(name, waiting);
    this.#queueOf(name)?.prefer(name);
    await waiting.promise;
  }

  /** The server that has a repository, and its number. */
  serverOf(id: number): number {
    return id % this.#parts.settings.servers;
  }

  client(server: number): ZoektClient {
    const { client } = this.#servers[server] ?? {};
    if (!client) throw new SextantError('unavailable', 'search is starting', { retryAfterSeconds: 1 });
    return client;
  }

  status(): ServiceStatus {
    const failures: ServiceFailure[] = this.#queues
      .flatMap((queue) => queue.failures)
      .map(({ error, ...failure }) => ({ ...failure, reason: messageOf(error) }));
    if (this.#unrecorded) failures.push({ ...this.#unrecorded, ...this.#retries.nextTry(this.#unrecorded.name) });
    const waitingRepositories = this.#queues.reduce((sum, { length }) => sum + length, this.#kept.size);
    const detail = { indexedRepositories: this.#indexed.size, waitingRepositories };
    const isReady = this.#hasListed && this.#kept.size === 0 && this.#queues.every(({ isSettled }) => isSettled);
    const total = this.#indexed.size + waitingRepositories;
    return {
      isReady,
      detail,
      ...(!isReady && { progress: { done: this.#indexed.size, total, unit: 'repositories' } }),
      ...(failures.length > 0 && { failures }),
    };
  }

  async close(): Promise<void> {
    this.#unlisten?.();
    this.#stop.abort(new Error('the server stops'));
    await this.#confirming;
    await Promise.all(this.#queues.map((queue) => queue.close()));
    await this.#recording;
    this.#retries.close();
    for (const { resolve } of this.#waiting.values()) resolve();
    for (const { client } of this.#servers) client.close();
    await Promise.all(this.#servers.map(({ webserver }) => webserver.close()));
    openFolders.delete(this.#folder);
    // Another index goes on with what it has linked.
    const isReplaced = [...openFolders.keys()].some((path) => dirname(path) === this.#parts.folder);
    if (isReplaced) rmSync(this.#folder, { recursive: true, force: true });
  }

  get #stagingFolder(): string {
    return join(this.#folder, 'staging');
  }

  #shardFolder(server: number): string {
    return join(this.#folder, `server-${server}-of-${this.#parts.settings.servers}`);
  }

  #folderOf(id: number): string {
    return this.#shardFolder(this.serverOf(id));
  }

  /** Where there were more or fewer servers before, indexes go to the folders of their new ones. */
  #moveShards(): void {
    for (const before of serverFoldersIn(this.#folder)) {
      if (before.endsWith(`-of-${this.#parts.settings.servers}`)) continue;
      for (const { id, file } of shardsIn(before)) renameSync(join(before, file), join(this.#folderOf(id), file));
      rmSync(before, { recursive: true });
    }
  }

  /** Takes over what another index has and goes on with. What cannot be linked whole is indexed anew. */
  #linkShards(from: string): void {
    const unlinked = new Set(openFolders.get(from));
    for (const before of serverFoldersIn(from))
      for (const { id, file } of shardsIn(before))
        try {
          if (!unlinked.has(id)) linkSync(join(before, file), join(this.#folderOf(id), file));
        } catch {
          unlinked.add(id);
        }
    for (const [name, { id }] of this.#kept) if (unlinked.has(id)) this.#kept.delete(name);
    for (const id of unlinked) this.#removeShards(id);
  }

  #removeShards(of: number): void {
    const folder = this.#folderOf(of);
    for (const { id, file } of shardsIn(folder)) if (id === of) rmSync(join(folder, file), { force: true });
  }

  #idOf(name: string): number {
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    this.#lastId += 1;
    this.#ids.set(name, this.#lastId);
    this.#hasNewIds = true;
    return this.#lastId;
  }

  #queueOf(name: string): IndexQueue | undefined {
    return this.#queues[this.serverOf(this.#idOf(name))];
  }

  #writeRecords(): void {
    const { maxFileBytes } = this.#parts.settings;
    const indexed = [...this.#kept, ...this.#indexed];
    const name = recordsIn(this.#folder);
    replaceFile(name, JSON.stringify({ format, maxFileBytes, ids: [...this.#ids], indexed }));
    this.#hasNewIds = false;
    this.#unrecorded = undefined;
    this.#retries.succeeded(name);
  }

  #recordSoon(): void {
    this.#recording ??= this.#record();
  }

  async #record(): Promise<void> {
    await setTimeout(recordsMs, undefined, { signal: this.#stop.signal }).catch(() => undefined);
    this.#recording = undefined;
    try {
      this.#writeRecords();
    } catch (error) {
      const name = recordsIn(this.#folder);
      this.#unrecorded ??= { name, reason: messageOf(error), since: new Date().toISOString() };
      const isFirst = this.#retries.failed(name);
      if (isFirst) this.#parts.log.error({ err: error }, 'what zoekt has indexed could not be recorded');
    }
  }

  /** Takes over what a server has of the runs before, as it loads it. What it lacks in the end is indexed anew. */
  async #confirm(server: number): Promise<void> {
    const { signal } = this.#stop;
    const end = performance.now() + this.#parts.settings.indexSeconds * 1000;
    for (let pause = pollMs; ; pause = Math.min(2 * pause, mostPollMs)) {
      const kept = [...this.#kept].filter(([, { id }]) => this.serverOf(id) === server);
      if (kept.length === 0 || signal.aborted) return;
      const listed = await this.#list(server, zoektQuery(all), signal);
      const isLast = listed?.isWhole === true || performance.now() > end;
      const known = kept.filter(([, { id, commit, files }]) => files === 0 || listed?.commits.get(id) === commit);
      for (const [name, indexed] of known) this.#indexed.set(name, indexed);
      const names = (isLast ? kept : known).map(([name]) => name);
      for (const name of names) this.#kept.delete(name);
      for (const [name] of known) this.#settle(name);
      // They may have moved, or be served no more.
      this.#queues[server]?.start(names);
      if (!isLast) await setTimeout(pause, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Undefined where the server does not answer; nobody waits for it then. */
  async #list(server: number, query: Uint8Array, signal: AbortSignal): Promise<Listed | undefined> {
    const client = this.client(server);
    const { seconds } = this.#parts.settings;
    const listed = await client.list(query, { seconds, signal }).catch(() => undefined);
    if (client.isSilent)
      for (const name of this.#waiting.keys()) if (this.serverOf(this.#idOf(name)) === server) this.#settle(name);
    return listed;
  }

  #settle(name: string): void {
    this.#waiting.get(name)?.resolve();
    this.#waiting.delete(name);
  }

  async #update(name: string, stopped: AbortSignal): Promise<boolean> {
    // It comes again when its server has told what it has.
    if (this.#kept.has(name)) return true;
    try {
      const repository = await this.#parts.store.find(name);
      if (!repository) this.#forget(name);
      else {
        const commit = await repository.head(this.#until(stopped));
        if (this.#indexed.get(name)?.commit !== commit) await this.#indexCommit(repository, commit, stopped);
      }
      return true;
    } finally {
      this.#settle(name);
    }
  }

  /** Removes what zoekt has of a repository that is served no more. */
  #forget(name: string): void {
    const id = this.#ids.get(name);
    if (id === undefined) return;
    this.#indexed.delete(name);
    this.#recordSoon();
    this.#removeShards(id);
  }

  #until(stopped: AbortSignal): AbortSignal {
    return joinSignals(stopped, timeoutSignal(this.#parts.settings.indexSeconds * 1000));
  }

  async #indexCommit(repository: StoredRepository, commit: string | undefined, stopped: AbortSignal): Promise<void> {
    const { name } = repository;
    const id = this.#idOf(name);
    if (commit === undefined) {
      this.#indexed.set(name, { id, commit: '', others: [], files: 0 });
      return;
    }
    const written = await this.#indexing.run(this.serverOf(id), stopped, () =>
      this.#writeIndex(repository, { id, commit, signal: this.#until(stopped) }),
    );
    // Without a file there is nothing that zoekt tells.
    if (written.files > 0) await this.#untilSearched(id, commit, this.#until(stopped));
    this.#indexed.set(name, { id, commit, ...written });
    this.#recordSoon();
  }

  async #writeIndex(
    repository: StoredRepository,
    { id, commit, signal }: { id: number; commit: string; signal: AbortSignal },
  ): Promise<Pick<IndexedCommit, 'others' | 'files'>> {
    const { files, settings } = this.#parts;
    if (this.#hasNewIds) this.#writeRecords();
    mkdirSync(this.#stagingFolder, { recursive: true });
    const staging = mkdtempSync(join(this.#stagingFolder, 'tree-'));
    try {
      const tree = join(staging, 'tree');
      mkdirSync(tree);
      const all = await files.of(repository, commit, signal);
      const others = await writeFiles(repository, all, { tree, maxBytes: settings.maxFileBytes, signal });
      const meta = join(staging, 'meta.json');
      const branches = [{ Name: 'HEAD', Version: commit }];
      writeFileSync(meta, JSON.stringify({ ID: id, Name: `r${id}`, Branches: branches }));
      const limits = ['-file_limit', String(settings.maxFileBytes * 2), '-max_trigram_count', String(mostTrigrams)];
      const options = ['-index', this.#folderOf(id), '-ignore_dirs', '', '-disable_ctags', '-meta', meta];
      this.#writing.add(id);
      await runProgram(join(settings.programs, 'zoekt-index'), [...options, ...limits, tree], signal);
      return { others, files: all.length };
    } finally {
      this.#writing.delete(id);
      rmSync(staging, { recursive: true, force: true });
    }
  }

  /** The server sees by itself that there is a new index, a little later. */
  async #untilSearched(id: number, commit: string, signal: AbortSignal): Promise<void> {
    const query = zoektQuery(all, [id]);
    for (;;) {
      const listed = await this.#list(this.serverOf(id), query, signal);
      if (listed?.commits.get(id) === commit) return;
      await setTimeout(pollMs, undefined, { signal });
    }
  }
}

const recordsIn = (folder: string): string => join(folder, 'repositories.json');

/** Those of the servers of an index. */
const serverFoldersIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.startsWith('server-'))
    .map((name) => join(folder, name));

/** The files of the indexes of repositories, one or more of each. */
const shardsIn = (folder: string): { id: number; file: string }[] =>
  readdirSync(folder).flatMap((file) => {
    const id = /^r(\d+)_.*\.zoekt$/.exec(file)?.[1];
    return id === undefined ? [] : { id: Number(id), file };
  });

/** Undefined where there are none that this program can use. */
function readRecords(folder: string, { maxFileBytes }: SearchZoektConfig): Records | undefined {
  try {
    const { data } = records.safeParse(JSON.parse(readFileSync(recordsIn(folder), 'utf8')));
    return data?.maxFileBytes === maxFileBytes ? data : undefined;
  } catch {
    return undefined;
  }
}

/** What zoekt reads as rules, or what no file can be called. */
const unwritable = (path: string): boolean =>
  path === '.sourcegraph/ignore' || path.split('/').some((part) => part === '' || part === '.' || part === '..');

/** Whether a path cannot be written beside the others; a full disk is another matter. */
const isOfPath = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  ['EEXIST', 'EISDIR', 'ENAMETOOLONG', 'ENOTDIR'].includes(String(error.code));

/** Writes all files of a commit, as a search reads them; those without text are empty. Answers those that zoekt cannot search. */
async function writeFiles(
  repository: StoredRepository,
  files: Awaited<ReturnType<CommitFiles['of']>>,
  { tree, maxBytes, signal }: { tree: string; maxBytes: number; signal: AbortSignal },
): Promise<string[]> {
  const others: string[] = [];
  const write = (path: string, text: Buffer | undefined): void => {
    if (unwritable(path)) return void others.push(path);
    try {
      mkdirSync(dirname(join(tree, path)), { recursive: true });
      writeFileSync(join(tree, path), text ?? '', { flag: 'wx' });
      if (text && text.length > 0 && text.length < leastBytes) others.push(path);
    } catch (error) {
      if (!isOfPath(error)) throw error;
      others.push(path);
    }
  };
  const byBlob = Map.groupBy(files, ({ blob }) => blob);
  for (const { path } of byBlob.get(undefined) ?? []) write(path, undefined);
  byBlob.delete(undefined);
  const ids = [...byBlob.keys()].filter((id) => id !== undefined);
  for await (const batch of repository.blobs(ids, { maxBytes, isBackground: true, signal }))
    for (const { id, content } of contentsIn(batch)) {
      const text = content && !lfsPointer(content) ? indexedText(content) : undefined;
      for (const { path } of byBlob.get(id) ?? []) write(path, text);
    }
  return others;
}
