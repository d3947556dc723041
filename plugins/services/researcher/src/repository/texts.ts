import type { GitStore } from '@sextant/contracts';
import { LRUCache } from 'lru-cache';
import { outputOf } from './trees.ts';
import type { Tree } from './trees.ts';

/** Larger files are data, or nobody's work. */
const largestFile = 1_000_000;
/** Most bytes that one request reads; files that come first go first. */
const mostBytes = 24_000_000;

/** The texts of files, kept by the ids of their contents. It knows no caller: ask only for what one has opened. */
export class Texts {
  readonly #store: GitStore;
  readonly #texts: LRUCache<string, string>;

  constructor(store: GitStore, cachedCharacters: number) {
    this.#store = store;
    this.#texts = new LRUCache({ maxSize: cachedCharacters, sizeCalculation: ({ length }) => length + 1 });
  }

  /** By path; without binary files and those that are too large. */
  async read(
    { repo, files }: { repo: string; files: Tree },
    paths: readonly string[],
    signal: AbortSignal,
  ): Promise<Map<string, string>> {
    let left = mostBytes;
    const wanted = paths.flatMap((path) => {
      const file = files.get(path);
      if (!file || file.bytes > largestFile || file.bytes > left) return [];
      left -= file.bytes;
      return [{ path, blob: file.blob }];
    });
    const known = new Map(wanted.map(({ blob }) => [blob, this.#texts.get(blob)]));
    const missing = [...known].flatMap(([blob, text]) => (text === undefined ? [blob] : []));
    for (const [blob, text] of await this.#load(repo, missing, signal)) known.set(blob, text);
    return new Map(
      wanted.flatMap(({ path, blob }) => {
        const text = known.get(blob);
        return text === undefined ? [] : [[path, text]];
      }),
    );
  }

  async #load(repo: string, blobs: readonly string[], signal: AbortSignal): Promise<Map<string, string>> {
    if (blobs.length === 0) return new Map();
    const input = [Buffer.from(blobs.map((blob) => `${blob}\n`).join(''))];
    const texts = textsIn(await outputOf(this.#store, repo, { args: ['cat-file', '--batch'], input, signal }));
    for (const [blob, text] of texts) this.#texts.set(blob, text);
    return texts;
  }
}

const newline = 10;

/** The objects in what `git cat-file --batch` prints; binary ones are empty. */
function textsIn(output: Buffer): Map<string, string> {
  const texts = new Map<string, string>();
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(newline, at);
    const [blob = '', kind, size = '0'] = output.toString('latin1', at, end).split(' ');
    const length = kind === 'blob' ? Number(size) : 0;
    const bytes = output.subarray(end + 1, end + 1 + length);
    if (kind === 'blob') texts.set(blob, bytes.subarray(0, 8000).includes(0) ? '' : bytes.toString('utf8'));
    at = kind === 'blob' ? end + length + 2 : end + 1;
  }
  return texts;
}
