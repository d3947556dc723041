import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** Raised whenever files of before can no longer be read; what they hold is indexed again. */
const version = 1;
const table = z.object({ version: z.literal(version), commits: z.array(z.string()) });

/** The files of one shard. The table is written last: a shard without one is not there. */
export class ShardFiles {
  readonly #base: string;
  readonly #folder: string;

  constructor(folder: string, name: string) {
    this.#folder = folder;
    this.#base = join(folder, name);
  }

  /** Names of the shards that are complete. */
  static completeIn(folder: string): string[] {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return readdirSync(folder).flatMap((file) => (file.endsWith('.json') ? [file.slice(0, -'.json'.length)] : []));
  }

  get text(): string {
    return `${this.#base}.text`;
  }

  get shard(): string {
    return `${this.#base}.shard`;
  }

  write(shard: Uint8Array, text: Uint8Array, commits: readonly string[]): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    writeDurably(this.text, text);
    writeDurably(this.shard, shard);
    writeDurably(`${this.#base}.json`, Buffer.from(JSON.stringify({ version, commits })));
  }

  /** Hashes of its commits in the order of their numbers; undefined when another version wrote it, or it is damaged. */
  readCommits(): string[] | undefined {
    try {
      return table.parse(JSON.parse(readFileSync(`${this.#base}.json`, 'utf8'))).commits;
    } catch {
      return undefined;
    }
  }

  remove(): void {
    for (const path of [`${this.#base}.json`, this.shard, this.text]) rmSync(path, { force: true });
  }
}

function writeDurably(path: string, bytes: Uint8Array): void {
  const partial = `${path}.partial`;
  const descriptor = openSync(partial, 'w', 0o600);
  try {
    writeFileSync(descriptor, bytes);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(partial, path);
}
