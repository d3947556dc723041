import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isCommitFile } from '../snapshot/commit-files.ts';
import { replaceFile } from './replace-file.ts';
import { isLeftover, numberOf } from './shard-name.ts';
import { packTable } from './shard-table.ts';
import type { ShardTable } from './shard-table.ts';

/**
 * The files of one shard. The table is written last: a shard without one is not there. Other processes may use the same
 * folder, so no name is ever given twice and what another one has begun stays; who adds keys to a shard, or names, writes what any other would.
 */
export class ShardFiles {
  readonly folder: string;
  readonly name: string;

  constructor(folder: string, name: string) {
    this.folder = folder;
    this.name = name;
  }

  /** Names of the shards that are complete, the oldest first; what was left behind by a process that ended is removed. */
  static completeIn(folder: string): string[] {
    const files = readdirSync(folder);
    const complete = files.flatMap((file) => (file.endsWith('.table') ? [file.slice(0, -'.table'.length)] : []));
    for (const file of files) {
      if (isCommitFile(file)) continue;
      const isPart = !file.endsWith('.partial') && complete.includes(file.replace(/\.\w+$/, ''));
      if (!isPart && isLeftover(join(folder, file))) rmSync(join(folder, file), { force: true });
    }
    return complete.sort((a, b) => numberOf(a) - numberOf(b) || (a < b ? -1 : 1));
  }

  get text(): string {
    return this.#named('text');
  }

  get shard(): string {
    return this.#named('shard');
  }

  /** Those that its documents may define, where they are known: a shard is complete without. */
  get names(): string {
    return this.#named('names');
  }

  get partialText(): string {
    return `${this.text}.partial`;
  }

  /** Puts a finished text, and with it the whole shard, into place. */
  commit(shard: Uint8Array, table: ShardTable): void {
    renameSync(this.partialText, this.text);
    replaceFile(this.shard, shard, { isDurable: true });
    replaceFile(this.#named('table'), packTable(table), { isDurable: true });
    syncFolder(this.folder);
  }

  /** Puts a shard of the same text into its place. */
  replaceShard(shard: Uint8Array): void {
    replaceFile(this.shard, shard, { isDurable: true });
  }

  /** They can be lost at any time. */
  keepNames(names: Uint8Array): void {
    replaceFile(this.names, names);
  }

  readTable(): Buffer {
    return readFileSync(this.#named('table'));
  }

  /** The table first, so that nothing incomplete is ever taken for a shard. */
  remove(): void {
    const paths = [this.#named('table'), this.shard, this.text, this.names, this.partialText];
    for (const path of paths) rmSync(path, { force: true });
  }

  #named(ending: string): string {
    return join(this.folder, `${this.name}.${ending}`);
  }
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
