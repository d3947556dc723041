import type { StoredRepository } from '@sextant/contracts';
import { SextantError } from '@sextant/core';
import type { RunGit } from '../indexing/git-in.ts';
import { sizesOf } from '../snapshot/partial-tree.ts';

/** So many objects are asked of a process that is there: to start one stops this for as long as hundreds of them take. */
const few = 64;
const idsPerWrite = 1000;
/** Of a folder with more than a hundred thousand files. */
const mostBytes = 8 << 20;

/** Blobs, and what `git cat-file --batch` prints of them in this order. */
export interface BlobOutput {
  readonly ids: readonly string[];
  readonly pieces: AsyncIterable<Uint8Array>;
}

export interface ObjectsOptions {
  readonly repository: () => StoredRepository | undefined;
  readonly git: RunGit;
  readonly maxFileBytes: number;
  readonly signal: AbortSignal;
}

/** The objects of a repository by their ids. */
export class Objects {
  readonly #options: ObjectsOptions;

  constructor(options: ObjectsOptions) {
    this.#options = options;
  }

  /** Of a commit or a folder. Throws where it is not there, or very large. */
  async content(id: string): Promise<Buffer> {
    const object = await this.#served().object(id, { maxBytes: mostBytes, signal: this.#options.signal });
    if (!object?.content) throw new Error(`${id} is no object that can be read`);
    return Buffer.from(object.content.buffer, object.content.byteOffset, object.content.byteLength);
  }

  /** Of those that are there. */
  async sizes(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const { git, signal } = this.#options;
    if (ids.length > few) return sizesOf(git, ids);
    const repository = this.#served();
    const objects = await Promise.all(ids.map((id) => repository.object(id, { maxBytes: 0, signal })));
    return new Map(ids.flatMap((id, at) => (objects[at] ? [[id, objects[at].size]] : [])));
  }

  /** The output of blobs, by so many processes at once where they are many. */
  read(blobs: readonly string[], processes: number): BlobOutput[] {
    if (blobs.length <= few) return [{ ids: blobs, pieces: this.#eachOf(blobs) }];
    // One after the other in turn: those of a kind are of a size.
    const shares = Array.from({ length: processes }, (_, share) => blobs.filter((_id, at) => at % processes === share));
    return shares.map((ids) => ({ ids, pieces: this.#options.git(['cat-file', '--batch', '--buffer'], idLines(ids)) }));
  }

  async *#eachOf(ids: readonly string[]): AsyncGenerator<Uint8Array> {
    const { maxFileBytes, signal } = this.#options;
    const repository = this.#served();
    for (const id of ids) {
      const object = await repository.object(id, { maxBytes: maxFileBytes, signal });
      yield object?.content
        ? Buffer.concat([Buffer.from(`${id} blob ${object.size}\n`), object.content, Buffer.from('\n')])
        : Buffer.from(`${id} missing\n`);
    }
  }

  #served(): StoredRepository {
    const repository = this.#options.repository();
    if (!repository) throw new SextantError('unavailable', 'the repository is no longer served');
    return repository;
  }
}

function* idLines(ids: readonly string[]): Generator<Uint8Array> {
  for (let at = 0; at < ids.length; at += idsPerWrite)
    yield Buffer.from(
      ids
        .slice(at, at + idsPerWrite)
        .map((id) => `${id}\n`)
        .join(''),
    );
}
