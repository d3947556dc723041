import { SextantError, oneLine } from '@sextant/core';
import type { TextFile } from '@sextant/contracts';
import { LRUCache } from 'lru-cache';
import type { ObjectReader } from './object-reader.ts';
import { decodeText } from './text.ts';
import type { Location, TreeReader } from './tree-reader.ts';

const maxFileBytes = 64 * 1024 * 1024;

/** Reads files as text. What was read before is answered from memory: a blob never changes. */
export class TextReader {
  readonly #objects: ObjectReader;
  readonly #trees: TreeReader;
  readonly #texts: LRUCache<string, TextFile>;

  constructor(objects: ObjectReader, trees: TreeReader, cacheBytes: number) {
    this.#objects = objects;
    this.#trees = trees;
    this.#texts = new LRUCache({
      maxSize: cacheBytes,
      sizeCalculation: ({ text, lineStarts }) => 2 * text.length + 8 * lineStarts.length + 200,
    });
  }

  /** Throws `invalid_argument` for a directory, a submodule or a binary file, `too_large` above 64 MiB. */
  async read(location: Location): Promise<TextFile> {
    const { path } = location;
    const id = await this.#blobAt(location);
    const key = location.key + id;
    const known = this.#texts.get(key);
    if (known) return known;
    const content = await this.#content(location, id);
    const file = decodeText(content);
    if (!file) throw refuse(`"${path}" is a binary file of ${content.length} bytes; only text can be read`);
    this.#texts.set(key, file);
    return file;
  }

  /** The file as it is stored; not remembered. */
  async bytes(location: Location): Promise<Uint8Array> {
    return this.#content(location, await this.#blobAt(location));
  }

  async #blobAt(location: Location): Promise<string> {
    const { kind, id } = await this.#trees.entryAt(location);
    if (kind === 'directory') throw refuse(`"${location.path}" is a directory; list_files shows what is in it`);
    if (kind === 'submodule')
      throw refuse(`"${location.path}" is a submodule at ${id}; its files are in a repository of their own`);
    return id;
  }

  async #content({ folder, path, signal }: Location, id: string): Promise<Buffer> {
    const object = await this.#objects.read(folder, id, { maxBytes: maxFileBytes, signal });
    if (object?.type === 'blob') return object.content;
    throw new SextantError(
      'unavailable',
      oneLine(`the repository lacks the content of "${path}"; it is damaged or a partial clone`),
    );
  }
}

const refuse = (message: string): SextantError => new SextantError('invalid_argument', oneLine(message));
