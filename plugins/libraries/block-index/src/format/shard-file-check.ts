import { DamagedShardError } from '../errors.ts';
import { Arena } from '../kernel/arena.ts';
import { Workspace } from '../workspace.ts';
import { withFile } from './byte-source.ts';
import { PositionalContent } from './positional-content.ts';
import { Shard } from './shard.ts';

/** What a workspace and the text that is read at once take. */
const baseBytes = 16 << 20;
/** In memory a shard takes less than so many times its file. */
const memoryFactor = 4;
const stepBytes = 1 << 20;

/** Compares files of shards with their checksums, one shard after the other. It takes the memory of the largest shard, and no text. */
export class ShardFileCheck {
  #workspace: Workspace | undefined;
  #bytes = 0;

  /** Reads both files to their ends. Returns the number of documents. Throws DamagedShardError, ShardVersionError, and ENOENT. */
  check(shardPath: string, textPath: string): number {
    return withFile(shardPath, (bytes, read) => {
      const workspace = this.#roomFor(bytes);
      const shard = Shard.read(workspace, { bytes, read });
      try {
        withFile(textPath, (textBytes, readText) => {
          if (textBytes !== shard.contentBytes)
            throw new DamagedShardError(`the content has ${textBytes} bytes instead of ${shard.contentBytes}`);
          const content = new PositionalContent(workspace, shard, readText);
          for (let at = 0; at < textBytes; at += stepBytes) content.bytes(at, Math.min(textBytes, at + stepBytes));
          content.forget();
        });
        return shard.documents;
      } finally {
        shard.release(workspace);
      }
    });
  }

  #roomFor(shardBytes: number): Workspace {
    const bytes = baseBytes + memoryFactor * shardBytes;
    if (this.#workspace === undefined || bytes > this.#bytes) {
      this.#workspace = new Workspace(Arena.create(bytes));
      this.#bytes = bytes;
    }
    return this.#workspace;
  }
}
