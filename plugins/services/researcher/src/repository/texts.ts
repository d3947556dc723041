import { contentsIn, lfsPointer } from '@sextant/contracts';
import type { GitStore } from '@sextant/contracts';
import { LRUCache } from 'lru-cache';
import { storedIn } from './trees.ts';
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

  forget(): void {
    this.#texts.clear();
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
    const texts = new Map<string, string>();
    // Their sizes are known from the tree.
    const options = { maxBytes: largestFile, areChecked: true, signal };
    for await (const batch of (await storedIn(this.#store, repo)).blobs(blobs, options))
      for (const { id, content } of contentsIn(batch)) if (content) texts.set(id, textOf(content));
    for (const [blob, text] of texts) this.#texts.set(blob, text);
    return texts;
  }
}

/** Empty for a binary file and a Git LFS pointer. */
const textOf = (content: Buffer): string =>
  content.subarray(0, 8000).includes(0) || lfsPointer(content) ? '' : content.toString('utf8');
