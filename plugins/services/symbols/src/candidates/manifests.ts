import { escapeRegExp } from '@sextant/core';
import type { PackageManifest } from '@sextant/contracts';
import { mapConcurrently } from '@sextant/library-workers';
import { LRUCache } from 'lru-cache';
import { filesEnding } from '../languages/tree-files.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

/** Most manifests of one file name that are read in a commit. Those nearest to the root come first. */
const maxManifests = 1000;
/** Characters of a manifest that are read. */
const longest = 65_536;
/** Files that are read side by side. */
const atOnce = 16;
const rememberedAnswers = 50_000;

interface Manifest {
  readonly path: string;
  readonly text: string;
}

/** Folders around a file, and one. */
export const depthOf = (path: string): number => path.split('/').length;

/** Finds the manifests of a commit that give its package a name, with an LRU cache. */
export class Manifests {
  // `maxSize` and not `max`, which would allocate room for all of them at the start.
  readonly #answers = new LRUCache<string, readonly string[]>({ maxSize: rememberedAnswers, sizeCalculation: () => 1 });

  async having(snapshot: Snapshot, { file, text, isOfAll }: PackageManifest): Promise<readonly string[]> {
    // Compilers look for headers in such folders, not in those around.
    const ending = isOfAll ? new RegExp(`^(?:(?:.*/)?(?:include|inc|src|lib)/)?${escapeRegExp(file)}$`) : undefined;
    const named = filesEnding(snapshot, file).filter((path) => ending?.test(path) ?? true);
    if (named.length === 0 || text === '') return nearest(named);
    const key = [snapshot.repo, snapshot.commit, file, text].join('\0');
    const known = this.#answers.get(key);
    if (known) return known;
    const all = await snapshot.tree.derived(`manifests ${file}`, () => manifestsOf(snapshot, file));
    const found = all.filter((one) => one.text.includes(text)).map(({ path }) => path);
    this.#answers.set(key, found);
    return found;
  }
}

function nearest(paths: readonly string[]): string[] {
  const own = paths.filter((path) => !/(^|\/)(node_modules|vendor)\//.test(path));
  return own.toSorted((a, b) => depthOf(a) - depthOf(b)).slice(0, maxManifests);
}

const manifestsOf = (snapshot: Snapshot, file: string): Promise<Manifest[]> =>
  mapConcurrently(nearest(snapshot.named(file)), atOnce, async (path) => {
    return { path, text: ((await snapshot.read(path)) ?? '').slice(0, longest) };
  });
