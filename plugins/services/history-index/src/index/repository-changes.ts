import { rmSync } from 'node:fs';
import type { StoredRepository } from '@sextant/contracts';
import { changes } from '../git/commands.ts';
import { ChangedTexts } from './changed-texts.ts';
import type { IndexClient } from './index-client.ts';
import { ShardFiles } from './shard-files.ts';

/** Fewer new commits than this stay with git, which is fast with few: so shards stay few too. */
const worthShard = 256;
/** Commits of one git command: callers wait for no more than one. */
const commitsPerRun = 1024;
const buildSeconds = 3600;

/** Which commits may have a changed line that a search looks for. */
export type MayHave = (hash: string) => boolean;

/** The index of one repository: which of its commits may change a line. What it does not hold may. */
export class RepositoryChanges {
  readonly folder: string;
  readonly #client: IndexClient;
  readonly #shards = new Map<string, readonly string[]>();
  readonly #indexed = new Set<string>();

  constructor(folder: string, client: IndexClient) {
    this.folder = folder;
    this.#client = client;
    this.#readTables();
  }

  get commits(): number {
    return this.#indexed.size;
  }

  async mayHave(regex: string): Promise<MayHave> {
    const shards = [...this.#shards.keys()];
    if (shards.length === 0) return () => true;
    const answer = await this.#client.ask({ kind: 'search', folder: this.folder, shards, regex });
    const found = new Set<string>();
    shards.forEach((name, index) => this.#collect(name, answer?.[index], found));
    return (hash) => found.has(hash) || !this.#indexed.has(hash);
  }

  /** Indexes what HEAD reaches and is not indexed yet, the newest first; a shard at a time, so that it can stop anywhere. */
  async update(repository: StoredRepository, signal: AbortSignal): Promise<void> {
    const head = await repository.head(signal);
    if (head === undefined) return;
    const missing = (await commitsOf(repository, head, signal)).filter((hash) => !this.#indexed.has(hash));
    if (missing.length < worthShard && this.#shards.size > 0) return;
    for (let rest: readonly string[] = missing; rest.length > 0; ) {
      const sink = new ChangedTexts();
      rest = await fill(sink, rest, { repository, signal });
      const texts = sink.texts();
      if (texts.hashes.length > 0) await this.#client.ask({ kind: 'build', folder: this.folder, texts });
      this.#readTables();
    }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #collect(name: string, numbers: Uint32Array | undefined, found: Set<string>): void {
    const commits = this.#shards.get(name) ?? [];
    for (const number of numbers ?? []) found.add(commits[number] ?? '');
    if (numbers) return;
    // Damaged or gone: its commits are git's again, and indexed anew the next time.
    new ShardFiles(this.folder, name).remove();
    this.#shards.delete(name);
    for (const hash of commits) this.#indexed.delete(hash);
  }

  #readTables(): void {
    for (const name of ShardFiles.completeIn(this.folder)) {
      if (this.#shards.has(name)) continue;
      const files = new ShardFiles(this.folder, name);
      const commits = files.readCommits();
      if (!commits) files.remove();
      else this.#shards.set(name, commits);
      for (const hash of commits ?? []) this.#indexed.add(hash);
    }
  }
}

/** Reads changes until the sink has as much as a shard should; returns the commits that are left. */
async function fill(
  sink: ChangedTexts,
  missing: readonly string[],
  { repository, signal }: { repository: StoredRepository; signal: AbortSignal },
): Promise<readonly string[]> {
  let rest = missing;
  while (rest.length > 0 && !sink.isDone) {
    const hashes = rest.slice(0, commitsPerRun);
    const seen = sink.seen;
    await changes(repository, { hashes, hasPatch: true, seconds: buildSeconds }, { sink, signal });
    // When it was full in the middle, the last commit was only begun.
    const whole = sink.isDone ? sink.seen - seen - 1 : hashes.length;
    if (!sink.isDone) sink.end();
    rest = rest.slice(Math.max(1, whole));
  }
  return rest;
}

/** Merges have no changed lines. */
async function commitsOf(repository: StoredRepository, head: string, signal: AbortSignal): Promise<string[]> {
  const chunks: Uint8Array[] = [];
  const args = ['rev-list', '--no-merges', '--end-of-options', head];
  for await (const chunk of repository.stream({ args, signal, seconds: buildSeconds })) chunks.push(chunk);
  return Buffer.concat(chunks)
    .toString('latin1')
    .split('\n')
    .filter((hash) => hash !== '');
}
