import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import { pathRules } from '@sextant/library-ranking';
import type { ShardSet } from '../shards/shard-set.ts';
import { sharedArrays } from './build-snapshot.ts';
import type { SnapshotFiles } from './build-snapshot.ts';
import { commitFile, writeCommitFile } from '../shards/commit-files.ts';

const [compress, decompress] = [promisify(zstdCompress), promisify(zstdDecompress)];
/** With a checksum, so that decompressing a damaged file fails. */
const withChecksum = { params: { [constants.ZSTD_c_checksumFlag]: 1 } };

/** What a file has. */
interface Stored extends Pick<SnapshotFiles, 'text' | 'odd' | 'classes' | 'documents' | 'counts'> {
  /** What the rest depends on: its form, the rules by which paths have classes, and the limit of files. */
  readonly madeFor: string;
  /** Names of shards, which are never used twice, with their numbers of documents. */
  readonly shards: readonly (readonly [string, number])[];
}

interface StoredSnapshotsOptions {
  readonly folder: string;
  readonly maxFileBytes: number;
}

/** The snapshots of branches on disk, so that a start need not look up every blob. They can be lost at any time. */
export class StoredSnapshots {
  readonly #folder: string;
  readonly #madeFor: string;

  constructor({ folder, maxFileBytes }: StoredSnapshotsOptions) {
    this.#folder = folder;
    this.#madeFor = `5 ${pathRules} ${maxFileBytes}`;
  }

  /** Undefined where none is stored, or it was built of other shards or by other rules. */
  async read(commit: string, set: ShardSet): Promise<SnapshotFiles | undefined> {
    try {
      const bytes = await decompress(await readFile(this.#path(commit)));
      // What was decompressed was written by `write`, of this version or another.
      const { madeFor, shards: names, ...files } = deserialize(bytes) as Stored;
      const shards = names.flatMap(([name, documents]) => set.named(name, documents) ?? []);
      if (madeFor !== this.#madeFor || shards.length < names.length) return undefined;
      const classes = sharedArrays.bytes(files.classes.length);
      classes.set(files.classes);
      const documents = sharedArrays.signed(files.documents.length);
      documents.set(files.documents);
      return { ...files, classes, documents, shards };
    } catch {
      return undefined;
    }
  }

  async write(commit: string, { text, odd, classes, documents, shards, counts }: SnapshotFiles): Promise<void> {
    const names = shards.map((shard) => [shard.name, shard.documents] as const);
    const stored: Stored = { madeFor: this.#madeFor, shards: names, text, odd, classes, documents, counts };
    await writeCommitFile(this.#path(commit), await compress(serialize(stored), withChecksum));
  }

  #path(commit: string): string {
    return commitFile(this.#folder, commit, 'snapshot');
  }
}
