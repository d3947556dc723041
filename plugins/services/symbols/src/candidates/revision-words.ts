import type { GitStore, StoredRepository } from '@sextant/contracts';
import { LRUCache } from 'lru-cache';
import { parsedText } from '../limits.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { blobsOf } from '../store/blob-contents.ts';
import { hasWordHash, wordHashes } from '../store/name-hashes.ts';

/** Of all revisions together. */
const rememberedBytes = 64 * 2 ** 20;

/** The words of files by their blobs. */
type Words = ReadonlyMap<string, Uint32Array>;

interface Reading {
  readonly repository: StoredRepository;
  readonly snapshot: Snapshot;
  readonly paths: readonly string[];
}

/** Tells which files of a revision may have a word, if the revision was not read ahead. Its files are read once; hashes of their words are cached. */
export class RevisionWords {
  readonly #store: GitStore;
  readonly #closing = new AbortController();
  readonly #known = new LRUCache<string, Words, Reading>({
    maxSize: rememberedBytes,
    sizeCalculation: (words) => [...words.values()].reduce((sum, { byteLength }) => sum + byteLength, 1),
    fetchMethod: (_key, _known, { context }) => this.#read(context),
    ignoreFetchAbort: true,
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
    const key = [snapshot.repo, snapshot.commit, family].join('\0');
    const all = await this.#known.forceFetch(key, { context: { repository, snapshot, paths } });
    const wanted = words.flatMap((word) => [...wordHashes(Buffer.from(word))]);
    return paths.filter((path) => {
      const hashes = all.get(snapshot.tree.blobOf(path) ?? '');
      return hashes !== undefined && wanted.every((word) => hasWordHash(hashes, word));
    });
  }

  close(): void {
    this.#closing.abort();
  }

  async #read({ repository, snapshot, paths }: Reading): Promise<Words> {
    const ids = [...new Set(paths.flatMap((path) => snapshot.tree.blobOf(path) ?? []))];
    const words = new Map<string, Uint32Array>();
    for await (const { id, content } of blobsOf(repository, ids, { signal: this.#closing.signal }))
      if (content && content.length <= parsedText.characters && !content.includes(0))
        words.set(id, wordHashes(content));
    return words;
  }
}
