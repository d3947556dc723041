import { isUtf8 } from 'node:buffer';
import { lfsPointer, lineStartsOf } from '@sextant/contracts';
import type { LfsPointer, TextFile } from '@sextant/contracts';
import { SextantError, oneLine } from '@sextant/core';
import { LRUCache } from 'lru-cache';
import type { ObjectReader } from './object-reader.ts';
import type { Location, TreeReader } from './tree-reader.ts';

const maxFileBytes = 64 * 1024 * 1024;

/** Reads files as text. Texts are cached, because a blob never changes. */
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

  forget(): void {
    this.#texts.clear();
  }

  /** Throws `invalid_argument` for a directory, a submodule, a binary file or a Git LFS pointer, `too_large` above 64 MiB. */
  async read(location: Location): Promise<TextFile> {
    const { path } = location;
    const id = await this.#blobAt(location);
    const key = location.key + id;
    const known = this.#texts.get(key);
    if (known) return known;
    const content = await this.#content(location, id);
    const pointer = lfsPointer(content);
    if (pointer) throw refuse(storedElsewhere(path, pointer));
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

const storedElsewhere = (path: string, { sha256, bytes }: LfsPointer): string =>
  `"${path}" is a Git LFS pointer to ${bytes} bytes (sha256 ${sha256}) that are not in the repository; git lfs pull in a clone brings them`;

/** Decodes a file: UTF-16 by its byte order mark, else UTF-8, else Latin-1; undefined for a binary file. */
export function decodeText(bytes: Buffer): TextFile | undefined {
  const decoded = decodeUtf16(bytes) ?? decodeBytes(bytes);
  if (decoded === undefined || decoded.text.includes('\0')) return undefined;
  return { ...decoded, bytes: bytes.length, lineStarts: lineStartsOf(decoded.text) };
}

type Decoded = Pick<TextFile, 'text' | 'encoding'>;

function decodeUtf16(bytes: Buffer): Decoded | undefined {
  const encoding = { fffe: 'utf-16le', feff: 'utf-16be' } as const;
  const mark = bytes.toString('hex', 0, 2);
  if (mark !== 'fffe' && mark !== 'feff') return undefined;
  return { text: new TextDecoder(encoding[mark]).decode(bytes), encoding: encoding[mark] };
}

function decodeBytes(bytes: Buffer): Decoded | undefined {
  if (bytes.includes(0)) return undefined;
  if (!isUtf8(bytes)) return { text: bytes.toString('latin1'), encoding: 'latin1' };
  const hasMark = bytes.length >= 3 && bytes.toString('hex', 0, 3) === 'efbbbf';
  return { text: bytes.toString('utf8', hasMark ? 3 : 0), encoding: 'utf-8' };
}
