import { readdir, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { pathRules } from '@sextant/library-search-results';
import { z } from 'zod';
import type { StoredShard } from '../shards/loaded-shard.ts';
import type { ShardSet } from '../shards/shard-set.ts';
import type { LaidCommit } from './changed-files.ts';
import { commitOfView, fileOf } from './commit-files.ts';
import { readKept, writeKept } from './kept-file.ts';
import { sharedNumbers } from './laid-files.ts';
import type { SnapshotFiles } from './laid-files.ts';
import { startsIn } from './view.ts';

/** It takes a seventh of the room then, and a start of 1 GB 16 ms more beside what the main thread does. */
const [pack, unpack] = [promisify(zstdCompress), promisify(zstdDecompress)];
const count = z.int().nonnegative();
/** What stands before the arrays of a file. */
const header = z.object({
  format: z.literal(3),
  /** What it depends on besides the commit and its shards. */
  rules: z.literal(pathRules),
  maxFileBytes: count,
  /** Names of shards, which are used once, with the numbers of their documents. */
  parts: z.array(z.tuple([z.string(), count])),
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

export interface StoredViewsOptions {
  readonly folder: string;
  readonly maxFileBytes: number;
}

/** The files of commits as they were laid over shards, so that a start need not look up every blob. They can be lost at any time. */
export class StoredViews {
  readonly #options: StoredViewsOptions;

  constructor(options: StoredViewsOptions) {
    this.#options = options;
  }

  /** Undefined where it is not kept, or was made of other shards or by other rules. */
  async read(commit: string, shards: ShardSet): Promise<SnapshotFiles | undefined> {
    const packed = await readKept(this.#path(commit));
    try {
      return packed && this.#laid(await unpack(packed), shards);
    } catch {
      // Another version may have packed, or said, otherwise.
      return undefined;
    }
  }

  /** The one that was kept last: after a start most of a newer commit is the same. */
  async newest(shards: ShardSet): Promise<LaidCommit[]> {
    const { folder } = this.#options;
    const names = await readdir(folder).catch(() => []);
    const commits = names.flatMap((name) => commitOfView(name) ?? []);
    const times = await Promise.all(
      commits.map((commit) =>
        stat(this.#path(commit)).then(
          ({ mtimeMs }) => mtimeMs,
          () => 0,
        ),
      ),
    );
    const commit = commits[times.indexOf(Math.max(...times))];
    const files = commit === undefined ? undefined : await this.read(commit, shards);
    return commit && files
      ? [{ commit, files: { ...files, pathStarts: await startsIn(files.text, files.documents.length) } }]
      : [];
  }

  #laid(kept: Buffer, shards: ShardSet): SnapshotFiles | undefined {
    const start = lengthBytes + kept.readUInt32LE(0);
    const { data: said } = header.safeParse(JSON.parse(kept.toString('utf8', lengthBytes, start)));
    const parts = said?.parts.flatMap(([name, documents]) => shards.named(name, documents) ?? []) ?? [];
    if (said?.maxFileBytes !== this.#options.maxFileBytes || parts.length < said.parts.length) return undefined;
    return { ...arraysIn(kept.subarray(start), said.counts.files), parts, odd: new Map(said.odd), counts: said.counts };
  }

  async keep(commit: string, { text, odd, classes, documents, parts, counts }: SnapshotFiles): Promise<void> {
    const said: z.infer<typeof header> = {
      format: 3,
      rules: pathRules,
      maxFileBytes: this.#options.maxFileBytes,
      parts: parts.map(({ name, loaded }: StoredShard) => [name, loaded.documents]),
      odd: [...odd],
      counts,
    };
    const head = Buffer.from(JSON.stringify(said));
    const length = Buffer.alloc(lengthBytes);
    length.writeUInt32LE(head.length);
    const whole = Buffer.concat([length, head, new Uint8Array(documents.buffer), classes, text]);
    await writeKept(this.#path(commit), [await pack(whole)]);
  }

  #path(commit: string): string {
    return fileOf(this.#options.folder, commit, 'view');
  }
}

function arraysIn(bytes: Buffer, files: number): Pick<SnapshotFiles, 'documents' | 'classes' | 'text'> {
  const documents = sharedNumbers.signed(files);
  const classes = sharedNumbers.bytes(files);
  new Uint8Array(documents.buffer).set(bytes.subarray(0, documents.byteLength));
  classes.set(bytes.subarray(documents.byteLength, documents.byteLength + files));
  return { documents, classes, text: bytes.subarray(documents.byteLength + files) };
}
