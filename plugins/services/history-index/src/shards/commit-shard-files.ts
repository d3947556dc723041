import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { AppendedFile } from '@sextant/library-block-index';

const parts = ['tables', 'lines', 'lines-text', 'messages', 'messages-text', 'hunks'] as const;
export type ShardPart = (typeof parts)[number];

/** The files of one shard. They never change, so what was read of one stays valid. */
export class CommitShardFiles {
  readonly #base: string;

  constructor(folder: string, name: string) {
    this.#base = join(folder, name);
  }

  /** The name of the shard that a file of the folder belongs to. */
  static nameOf(file: string): string | undefined {
    const [name, part] = file.split('.');
    return parts.some((each) => each === part) ? name : undefined;
  }

  path(part: ShardPart): string {
    return `${this.#base}.${part}`;
  }

  /** Of all parts. */
  get paths(): readonly string[] {
    return parts.map((part) => this.path(part));
  }

  write(part: ShardPart, bytes: Uint8Array): void {
    const file = new AppendedFile(this.path(part));
    try {
      file.append(bytes);
      file.finish();
    } finally {
      file.abandon();
    }
  }

  remove(): void {
    for (const path of this.paths) rmSync(path, { force: true });
  }
}
