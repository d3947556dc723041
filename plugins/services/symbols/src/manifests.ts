import { posix } from 'node:path';
import type { PackageManifest } from '@sextant/contracts';
import { LRUCache } from 'lru-cache';
import type { Snapshot } from './snapshot.ts';

/** Of one name in one commit that are looked at, those nearest to the root. */
const maxManifests = 1000;
/** Characters of one; what is longer says much besides its name. */
const longest = 65_536;
/** Files that are read side by side. */
const atOnce = 16;
const rememberedAnswers = 50_000;

interface Manifest {
  readonly path: string;
  readonly text: string;
}

const depthOf = (path: string): number => path.split('/').length;

/** Finds the files of a commit that say that its package has a name. What was asked for of late is remembered. */
export class Manifests {
  // Each has size 1: `max` would take the room for all of them at the start.
  readonly #answers = new LRUCache<string, readonly string[]>({ maxSize: rememberedAnswers, sizeCalculation: () => 1 });

  async having(snapshot: Snapshot, { file, text }: PackageManifest): Promise<readonly string[]> {
    const named = snapshot.named(posix.basename(file)).filter((path) => path === file || path.endsWith(`/${file}`));
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

async function manifestsOf(snapshot: Snapshot, file: string): Promise<Manifest[]> {
  const paths = nearest(snapshot.named(file));
  const manifests: Manifest[] = [];
  for (let at = 0; at < paths.length; at += atOnce) {
    const some = paths.slice(at, at + atOnce);
    const texts = await Promise.all(some.map((path) => snapshot.read(path)));
    manifests.push(...some.map((path, index) => ({ path, text: (texts[index] ?? '').slice(0, longest) })));
  }
  return manifests;
}
