import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { CommitShardFiles, replaceFile } from './commit-shard-files.ts';

const content = z.object({
  version: z.literal(3),
  shards: z.array(z.object({ name: z.string(), commits: z.int(), bytes: z.int(), newest: z.number() })),
  heads: z.array(z.string()),
  left: z.array(z.object({ head: z.string(), since: z.number() })),
  shallow: z.string(),
});

/** A shard of a repository. */
export type ShardEntry = z.output<typeof content>['shards'][number];

export type LeftHead = z.output<typeof content>['left'][number];

/** What there is of a repository. */
export interface ManifestState {
  readonly shards: readonly ShardEntry[];
  /** Commits of which all that is reachable has been looked at. */
  readonly heads: readonly string[];
  /** Heads that no ref reaches any more, and since when (seconds since 1970) that is known. */
  readonly left: readonly LeftHead[];
  /** The state of the shallow file that the shards were made under. */
  readonly shallow: string;
}

const nothing: ManifestState = { shards: [], heads: [], left: [], shallow: '' };

/** Names the shards of a repository. It is replaced as a whole, so that a crash leaves the one before. */
export class Manifest {
  readonly #folder: string;
  #state: ManifestState;

  /** Reads it; what it does not name is removed. */
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

  /** Makes the folder for its shards. */
  prepare(): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
  }

  /** Files that are named no more are removed. */
  replace(state: ManifestState): void {
    this.prepare();
    replaceFile(this.#path, JSON.stringify({ version: 3, ...state }));
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

  /** One that is not there, damaged, or of another version is empty: everything is indexed again. */
  #read(): ManifestState {
    try {
      return content.parse(JSON.parse(readFileSync(this.#path, 'utf8')));
    } catch {
      return nothing;
    }
  }
}
