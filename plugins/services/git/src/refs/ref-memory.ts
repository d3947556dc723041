import { LRUCache } from 'lru-cache';
import { signatureOf } from '../storage/file-signature.ts';
import type { GitFolder } from '../storage/git-folder.ts';
import { filesOfAllRefs } from './ref-files.ts';

interface Remembered<T> {
  readonly items: readonly T[];
  readonly files: readonly string[];
  readonly signature: string;
}

/** More than a repository has by default. */
const maxItems = 250_000;

/** What was read of the refs below some folders, for as long as none of them changes. */
export class RefMemory<T> {
  readonly #under: readonly string[];
  readonly #lists = new LRUCache<string, Remembered<T>>({
    maxSize: maxItems,
    sizeCalculation: ({ items }) => items.length + 1,
  });

  /** `under`: folders of refs, such as `refs/heads`. */
  constructor(under: readonly string[]) {
    this.#under = under;
  }

  /** The same list as before while no ref has changed. */
  async list(folder: GitFolder, read: () => Promise<readonly T[]>): Promise<readonly T[]> {
    const key = folder.cacheKey();
    const known = this.#lists.get(key);
    if (known && signatureOf(known.files).text === known.signature) return known.items;
    const { items, files, signature } = await folder.steadily(async () => {
      // Taken before git looks: a change in between makes it differ afterwards.
      const before = filesOfAllRefs(folder, this.#under);
      return { files: before, signature: before && signatureOf(before), items: await read() };
    });
    if (files && signature?.isSettled) this.#lists.set(key, { items, files, signature: signature.text });
    return items;
  }
}
