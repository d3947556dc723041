import type { TreeListing } from '@sextant/contracts';
import { SextantError, fromOneLine, nearest, oneLine } from '@sextant/core';
import { LRUCache } from 'lru-cache';
import type { GitFolder } from '../storage/git-folder.ts';
import { latelyUsed } from './lately-used.ts';
import type { ObjectReader } from './object-reader.ts';
import { Tree } from './tree.ts';
import type { Entry, NamedEntry } from './tree.ts';

const maxTreeBytes = 64 * 1024 * 1024;
/** Larger trees are not read ahead: many of them at once take much memory. */
const aheadBytes = 64 * 1024;
const maxRemembered = 50_000;
/** Names that are compared to suggest the nearest. */
const maxCompared = 5000;

/** A path in a commit. */
export interface Location {
  readonly folder: GitFolder;
  /** The folder's `cacheKey`, asked for once a call. */
  readonly key: string;
  /** Full hash. */
  readonly commit: string;
  readonly path: string;
  readonly signal: AbortSignal;
}

export type TreePlace = Pick<Location, 'folder' | 'key' | 'signal'>;

/** Finds paths by walking tree objects: a path is never handed to git, which would interpret it. */
export class TreeReader {
  readonly #objects: ObjectReader;
  readonly #trees: LRUCache<string, Tree>;
  readonly #listings: LRUCache<string, readonly NamedEntry[]>;
  readonly #entries = latelyUsed<Entry>(maxRemembered);
  readonly #roots = latelyUsed<string>(maxRemembered);

  constructor(objects: ObjectReader, cacheBytes: number) {
    this.#objects = objects;
    const half = Math.floor(cacheBytes / 2);
    this.#trees = new LRUCache({ maxSize: half, sizeCalculation: ({ size }) => size });
    this.#listings = new LRUCache({ maxSize: half, sizeCalculation: (entries) => entries.length * 120 + 200 });
  }

  forget(): void {
    for (const cache of [this.#trees, this.#listings, this.#entries, this.#roots]) cache.clear();
  }

  /** What stands at a path. Throws `not_found` with the nearest path there is. */
  async entryAt(location: Location): Promise<Entry> {
    const key = `${location.key}${location.commit}:${location.path}`;
    const known = this.#entries.get(key);
    if (known) return known;
    const entry = await this.#walk(location);
    this.#entries.set(key, entry);
    return entry;
  }

  /** Throws `invalid_argument` for a path that is no directory. */
  async list(location: Location, limit: number): Promise<TreeListing> {
    const entry = await this.entryAt(location);
    if (entry.kind !== 'directory') throw notADirectory(location.path, entry);
    const all = await this.#listing(location, entry.id);
    const prefix = location.path === '' ? '' : location.path.replace(/\/?$/, '/');
    const entries = all.slice(0, limit).map(({ name, kind }) => ({ path: prefix + name, kind }));
    return { entries, isTruncated: all.length > limit };
  }

  async #walk(location: Location): Promise<Entry> {
    const { segments, isDirectory } = parsePath(location.path);
    let entry: Entry = { kind: 'directory', id: await this.rootOf(location) };
    for (const [depth, segment] of segments.entries()) {
      if (entry.kind !== 'directory') throw notADirectory(segments.slice(0, depth).join('/'), entry);
      const tree = await this.tree(location, entry.id);
      // Who read the name in a text gives it as it is shown there.
      const found = tree.find(segment) ?? tree.find(fromOneLine(segment));
      if (!found) throw await this.#notFound(location, segments.slice(0, depth + 1), entry.id);
      entry = found;
    }
    if (isDirectory && entry.kind !== 'directory') throw notADirectory(segments.join('/'), entry);
    return entry;
  }

  /** The tree of a commit. Throws `not_found`, and `invalid_argument` for what is no commit. */
  async rootOf({ folder, key: folderKey, commit, signal }: Omit<Location, 'path'>): Promise<string> {
    const key = folderKey + commit;
    const known = this.#roots.get(key);
    if (known !== undefined) return known;
    if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit))
      throw new SextantError('invalid_argument', 'a commit is given as its full hash here');
    const object = await this.#objects.read(folder, commit, { maxBytes: maxTreeBytes, signal });
    if (!object) throw new SextantError('not_found', `commit ${commit} not found`);
    if (object.type !== 'commit')
      throw new SextantError('invalid_argument', `${commit} names a ${object.type}, not a commit`);
    const root = /^tree ([0-9a-f]+)\n/.exec(object.content.toString('latin1', 0, 80))?.[1];
    if (root === undefined) throw new SextantError('unavailable', `the commit ${commit} is damaged`);
    this.#roots.set(key, root);
    return root;
  }

  /** Throws `unavailable` for one that the repository lacks. */
  async tree({ folder, key: folderKey, signal }: TreePlace, id: string): Promise<Tree> {
    const key = folderKey + id;
    const known = this.#trees.get(key);
    if (known) return known;
    const object = await this.#objects.read(folder, id, { maxBytes: maxTreeBytes, signal });
    if (object?.type !== 'tree')
      throw new SextantError('unavailable', `the repository lacks the tree ${id}; it is damaged or a partial clone`);
    return this.#remember(key, object.content, id);
  }

  /** Reads trees that will be asked for, all at once: each alone would wait for git. */
  async readAhead({ folder, key: folderKey, signal }: TreePlace, ids: readonly string[]): Promise<void> {
    const unknown = [...new Set(ids)].filter((id) => !this.#trees.has(folderKey + id));
    await Promise.all(
      unknown.map(async (id) => {
        const object = await this.#objects.find(folder, id, { maxBytes: aheadBytes, signal });
        if (object?.type === 'tree' && object.content) this.#remember(folderKey + id, object.content, id);
      }),
    );
  }

  #remember(key: string, content: Buffer, id: string): Tree {
    // A copy: what was received may be a small part of a large piece of memory.
    const tree = new Tree(Buffer.from(content), id.length / 2);
    this.#trees.set(key, tree);
    return tree;
  }

  async #listing(location: Location, id: string): Promise<readonly NamedEntry[]> {
    const key = location.key + id;
    const known = this.#listings.get(key);
    if (known) return known;
    const entries = (await this.tree(location, id)).sorted();
    this.#listings.set(key, entries);
    return entries;
  }

  async #notFound(location: Location, path: readonly string[], parent: string): Promise<SextantError> {
    const entries = await this.#listing(location, parent);
    const names = entries.slice(0, maxCompared).map(({ name }) => name);
    const best = nearest(path.at(-1) ?? '', names);
    const hint =
      best === undefined
        ? `; list_files shows what is there, and keyword_search finds it elsewhere: type:path ${path.at(-1) ?? ''}`
        : `. Did you mean "${[...path.slice(0, -1), best].join('/')}"?`;
    return new SextantError(
      'not_found',
      oneLine(`"${path.join('/')}" not found at commit ${location.commit.slice(0, 12)}${hint}`),
    );
  }
}

function notADirectory(path: string, { kind, id }: Entry): SextantError {
  const what = kind === 'submodule' ? `a submodule at ${id}` : kind === 'symlink' ? 'a symbolic link' : 'a file';
  const hint = kind === 'submodule' ? 'its files are in a repository of their own' : 'read_file reads it';
  return new SextantError('invalid_argument', oneLine(`"${path}" is ${what}, not a directory; ${hint}`));
}

const maxLength = 4096;

export interface ParsedPath {
  readonly segments: readonly string[];
  /** Whether it ends in a slash. */
  readonly isDirectory: boolean;
}

/** A path from the root; empty for the root itself. Throws `invalid_argument` for what no path in a tree can be. */
export function parsePath(path: string): ParsedPath {
  if (path.length > maxLength) refuse(`is longer than ${maxLength} characters`);
  if (path.includes('\0')) refuse('contains a NUL character');
  if (path.startsWith('/')) refuse('must not begin with "/"');
  const isDirectory = path.endsWith('/');
  const segments = path === '' ? [] : (isDirectory ? path.slice(0, -1) : path).split('/');
  if (segments.includes('')) refuse('contains an empty segment ("//")');
  if (segments.includes('.') || segments.includes('..')) refuse('must not contain "." or ".." segments');
  return { segments, isDirectory };
}

function refuse(problem: string): never {
  throw new SextantError(
    'invalid_argument',
    `path ${problem}; give it from the root of the repository, such as src/main.ts`,
  );
}
