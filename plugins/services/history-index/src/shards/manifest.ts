import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DataFileProblem } from '@sextant/core';
import { replaceFile, SHARD_VERSION } from '@sextant/library-block-index';
import { z } from 'zod';
import { CommitShardFiles } from './commit-shard-files.ts';

/** Of all files of a shard. Increase the first number when tables, hunks or texts can no longer be read as they are. */
const version = `5.${SHARD_VERSION}`;

const versioned = z.object({ version: z.string() });
const content = z.object({
  shards: z.array(z.object({ name: z.string(), commits: z.int(), bytes: z.int(), newest: z.number() })).readonly(),
  /** Commits from which everything reachable is indexed. */
  heads: z.array(z.string()).readonly(),
  /** Former heads that no ref reaches any more. `since` is when that was seen, in seconds since 1970. */
  left: z.array(z.object({ head: z.string(), since: z.number() })).readonly(),
  /** The state of git's shallow file when the shards were made. */
  shallow: z.string(),
});

/** A shard of a repository: `bytes` of changed lines and messages, and the committer date of its newest commit in seconds since 1970. */
export type ShardEntry = z.output<typeof content>['shards'][number];

/** The folder of a repository's shards, and the names of the current ones. */
export interface ShardSet {
  readonly folder: string;
  readonly shards: readonly string[];
}

/** What the index has of a repository. */
type ManifestState = Readonly<z.output<typeof content>>;

const nothing: ManifestState = { shards: [], heads: [], left: [], shallow: '' };

/** Lists the shards of a repository. The file is replaced as a whole, so that a crash leaves the previous one. */
export class Manifest {
  readonly #folder: string;
  #state: ManifestState;
  /** Why the file that was there could not be read. */
  problem: DataFileProblem | undefined;

  /** Reads the file, and removes every other file that it does not list. */
  constructor(folder: string) {
    this.#folder = folder;
    this.#state = this.#read();
    if (!existsSync(folder)) return;
    const named = new Set(this.#state.shards.map(({ name }) => name));
    for (const file of readdirSync(folder)) {
      const name = CommitShardFiles.nameOf(file);
      if (file !== 'manifest.json' && (name === undefined || !named.has(name)))
        rmSync(join(folder, file), { recursive: true, force: true });
    }
  }

  get state(): ManifestState {
    return this.#state;
  }

  /** Makes the folder for the shards. */
  prepare(): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
  }

  /** Also removes the shards that are no longer listed. */
  replace(state: ManifestState): void {
    this.prepare();
    replaceFile(this.#path, JSON.stringify({ version, ...state }), { isDurable: true });
    const named = new Set(state.shards.map(({ name }) => name));
    const dropped = this.#state.shards.filter(({ name }) => !named.has(name));
    this.#state = state;
    for (const { name } of dropped) new CommitShardFiles(this.#folder, name).remove();
  }

  remove(): void {
    this.#state = nothing;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #path(): string {
    return join(this.#folder, 'manifest.json');
  }

  /** A missing or damaged file, or one of another version, counts as empty: everything is indexed again. */
  #read(): ManifestState {
    if (!existsSync(this.#path)) return nothing;
    const read = readManifest(this.#path);
    if (!('reason' in read)) return read;
    this.problem = read;
    return nothing;
  }
}

/** What a file lists, or why it cannot be read. Throws ENOENT. */
export function readManifest(path: string): ManifestState | DataFileProblem {
  const text = readFileSync(path, 'utf8');
  try {
    const json: unknown = JSON.parse(text);
    const { version: written } = versioned.parse(json);
    if (written !== version)
      return { isOfOtherVersion: true, reason: `it has version ${written}, this program reads version ${version}` };
    return content.parse(json);
  } catch {
    return { isOfOtherVersion: false, reason: 'its list of shards cannot be read' };
  }
}
