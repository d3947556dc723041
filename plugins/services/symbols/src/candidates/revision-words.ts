import type { GitStore, StoredRepository } from '@sextant/contracts';
import { LRUCache } from 'lru-cache';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { blobsOf } from '../store/blob-contents.ts';
import { hasWordHash, wordHashes } from '../store/name-hashes.ts';

/** Of all revisions together. */
const rememberedBytes = 64 * 2 ** 20;
/** Longer texts are not parsed either. */
const longestText = 1_000_000;

/** The words of files by their blobs. */
type Words = ReadonlyMap<string, Uint32Array>;

/** Tells which files of a revision may have a word, if the revision was not read ahead. Its files are read once; hashes of their words are cached. */
export class RevisionWords {
  readonly #store: GitStore;
  readonly #closing = new AbortController();
  readonly #begun = new Map<string, Promise<Words>>();
  readonly #known = new LRUCache<string, Words>({
    maxSize: rememberedBytes,
    sizeCalculation: (words) => [...words.values()].reduce((sum, { byteLength }) => sum + byteLength, 1),
  });

  constructor(store: GitStore) {
    this.#store = store;
  }

  /** The files that may have all of the words. All are of one family of languages. Undefined if the repository is gone. */
  async having(
    snapshot: Snapshot,
    paths: readonly string[],
    { family, words }: { readonly family: string; readonly words: readonly string[] },
  ): Promise<string[] | undefined> {
    const repository = await this.#store.find(snapshot.repo);
    if (!repository) return undefined;
    const all = await this.#wordsOf(repository, { snapshot, paths, family });
    const wanted = words.flatMap((word) => [...wordHashes(Buffer.from(word))]);
    return paths.filter((path) => {
      const hashes = all.get(snapshot.tree.blobOf(path) ?? '');
      return hashes !== undefined && wanted.every((word) => hasWordHash(hashes, word));
    });
  }

  close(): void {
    this.#closing.abort();
  }

  #wordsOf(
    repository: StoredRepository,
    { snapshot, paths, family }: { snapshot: Snapshot; paths: readonly string[]; family: string },
  ): Promise<Words> | Words {
    const key = [snapshot.repo, snapshot.commit, family].join('\0');
    const known = this.#known.get(key);
    if (known) return known;
    const begun = this.#begun.get(key);
    if (begun) return begun;
    const blobs = new Set(paths.flatMap((path) => snapshot.tree.blobOf(path) ?? []));
    const reading = this.#read(repository, [...blobs])
      .then((words) => {
        this.#known.set(key, words);
        return words;
      })
      .finally(() => this.#begun.delete(key));
    this.#begun.set(key, reading);
    return reading;
  }

  async #read(repository: StoredRepository, ids: readonly string[]): Promise<Words> {
    const words = new Map<string, Uint32Array>();
    for await (const { id, content } of blobsOf(repository, ids, { signal: this.#closing.signal }))
      if (content && content.length <= longestText && !content.includes(0)) words.set(id, wordHashes(content));
    return words;
  }
}
