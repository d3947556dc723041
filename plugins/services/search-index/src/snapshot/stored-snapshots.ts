import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { pathRules } from '@sextant/library-ranking';
import { z } from 'zod';
import type { ShardSet } from '../shards/shard-set.ts';
import { sharedArrays } from './build-snapshot.ts';
import type { SnapshotFiles } from './build-snapshot.ts';
import { commitFile, readCommitFile, writeCommitFile } from '../shards/commit-files.ts';

const [compress, decompress] = [promisify(zstdCompress), promisify(zstdDecompress)];
const count = z.int().nonnegative();
/** Comes first in a file, as JSON after its length; the arrays of numbers and the text of the paths follow. */
const header = z.object({
  format: z.literal(4),
  /** The classes of paths depend on these. */
  rules: z.literal(pathRules),
  maxFileBytes: count,
  /** Names of shards, which are never used twice, with their numbers of documents. */
  shards: z.array(z.tuple([z.string(), count])),
  odd: z.array(z.tuple([count, z.string()])),
  counts: z.object({
    files: count,
    binary: count,
    tooLarge: count,
    withoutText: count,
    missing: count,
    generated: count,
  }),
});

const lengthBytes = 4;

interface StoredSnapshotsOptions {
  readonly folder: string;
  readonly maxFileBytes: number;
}

/** The snapshots of branches on disk, so that a start need not look up every blob. They can be lost at any time. */
export class StoredSnapshots {
  readonly #options: StoredSnapshotsOptions;

  constructor(options: StoredSnapshotsOptions) {
    this.#options = options;
  }

  /** Undefined where none is stored, or it was built of other shards or by other rules. */
  async read(commit: string, set: ShardSet): Promise<SnapshotFiles | undefined> {
    const bytes = await readCommitFile(this.#path(commit));
    try {
      return bytes && this.#unpack(await decompress(bytes), set);
    } catch {
      // Another version may have written it.
      return undefined;
    }
  }

  async write(commit: string, { text, odd, classes, documents, shards, counts }: SnapshotFiles): Promise<void> {
    const fields: z.infer<typeof header> = {
      format: 4,
      rules: pathRules,
      maxFileBytes: this.#options.maxFileBytes,
      shards: shards.map(({ name, loaded }) => [name, loaded.documents]),
      odd: [...odd],
      counts,
    };
    const head = Buffer.from(JSON.stringify(fields));
    const length = Buffer.alloc(lengthBytes);
    length.writeUInt32LE(head.length);
    const bytes = Buffer.concat([length, head, new Uint8Array(documents.buffer), classes, text]);
    await writeCommitFile(this.#path(commit), await compress(bytes));
  }

  #unpack(bytes: Buffer, set: ShardSet): SnapshotFiles | undefined {
    const start = lengthBytes + bytes.readUInt32LE(0);
    const { data: fields } = header.safeParse(JSON.parse(bytes.toString('utf8', lengthBytes, start)));
    if (fields?.maxFileBytes !== this.#options.maxFileBytes) return undefined;
    const { odd, counts } = fields;
    const shards = fields.shards.flatMap(([name, documents]) => set.named(name, documents) ?? []);
    if (shards.length < fields.shards.length) return undefined;
    return { ...arraysIn(bytes.subarray(start), counts.files), shards, odd: new Map(odd), counts };
  }

  #path(commit: string): string {
    return commitFile(this.#options.folder, commit, 'snapshot');
  }
}

function arraysIn(bytes: Buffer, files: number): Pick<SnapshotFiles, 'documents' | 'classes' | 'text'> {
  const documents = sharedArrays.signed(files);
  const classes = sharedArrays.bytes(files);
  new Uint8Array(documents.buffer).set(bytes.subarray(0, documents.byteLength));
  classes.set(bytes.subarray(documents.byteLength, documents.byteLength + files));
  return { documents, classes, text: bytes.subarray(documents.byteLength + files) };
}
