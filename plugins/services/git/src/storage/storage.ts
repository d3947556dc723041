import { createReadStream, fstatSync } from 'node:fs';
import type { Dirent, Stats } from 'node:fs';
import { lstat, opendir, realpath, stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { isOutOfDescriptors } from '@sextant/core';
import type { Boundary } from './boundary.ts';
import { signatureOf } from './file-signature.ts';
import { isSoundPackIndex } from './pack-index.ts';
import { openRegular, readRegular } from './regular-file.ts';
import { maxShallowBytes } from './shallow-file.ts';

export interface StorageLimits {
  /** Most refs. */
  refs: number;
  /** Most files in which objects are. */
  files: number;
}

export interface StoragePlace {
  /** The folder with its HEAD. */
  ownPath: string;
  /** The folder with its refs and objects. */
  commonPath: string;
  boundary: Boundary;
}

/** Where a repository keeps what git reads, after everything there was found in order. */
export interface Storage {
  /** The text of HEAD. */
  readonly head: Buffer;
  /** The text of its configuration. */
  readonly config: Buffer;
  /** The text of its list of the commits with which a shallow history begins. */
  readonly shallow: Buffer;
  /** Its own store and those that it borrows from. */
  readonly stores: readonly ObjectStore[];
}

export interface ObjectStore {
  readonly path: string;
  /** Its folders of packs and of loose objects. */
  readonly folders: readonly string[];
  /** Files that only make git faster. */
  readonly graphs: readonly string[];
  /** Whether git may use its index over several packs, if it has one. */
  readonly hasSoundPackIndex: boolean;
}

/** When the folders of loose objects last changed: milliseconds since 1970, before they were looked at. */
export type FanOutTimes = ReadonlyMap<string, number>;

/** What makes that git must not read a repository. */
export class StorageProblem extends Error {
  override readonly name = 'StorageProblem';
}

const maxHeadBytes = 4096;
/** Else git takes the folder for none of its own. */
const headText = /^(?:ref:\s*refs\/|[0-9a-f]{40})/;
const maxConfigBytes = 1024 * 1024;
const maxAlternatesBytes = 64 * 1024;
/** Stores that a repository may borrow from, directly or not. */
const maxStores = 32;
export const foldersAtOnce = 64;
/** Objects stand in `xx/` and `pack/`, chains of commit-graphs in `info/commit-graphs/`. */
const [fanOutDepth, maxObjectDepth] = [2, 3];
/** A line of packed refs: a hash, a space, `refs/x` and the line's end. */
const minPackedRefBytes = 48;
/** Folders that are looked at before each use; of the others one learns at the next scan. */
const maxWatched = 64;

/** Looks at every file that git could open in a repository, and opens none that could lead elsewhere or keep git waiting. */
export class StorageInspection {
  readonly #place: StoragePlace;
  readonly #limits: StorageLimits;
  readonly #watched: string[] = [];
  readonly #fanOuts = new Map<string, number>();
  #foundAs = '';
  #refs = 0;
  #files = 0;

  constructor(place: StoragePlace, limits: StorageLimits) {
    this.#place = place;
    this.#limits = limits;
  }

  /** What changes when any of it is replaced. */
  get watched(): readonly string[] {
    return this.#watched;
  }

  /** The signature of these files, each taken before it was looked at. */
  get foundAs(): string {
    return this.#foundAs;
  }

  get fanOuts(): FanOutTimes {
    return this.#fanOuts;
  }

  /** Throws a StorageProblem that says what an operator can do, and EMFILE and ENFILE while too many files are open. */
  async run(): Promise<Storage> {
    const { ownPath, commonPath } = this.#place;
    const common = (name: string): string => join(commonPath, name);
    for (const path of new Set([ownPath, commonPath])) this.#watch(...this.#place.boundary.replaceable(path));
    this.#watch(join(ownPath, 'HEAD'), ...['config', 'packed-refs', 'shallow', 'objects', 'refs'].map(common));
    for (const path of [ownPath, commonPath]) await this.#resolve(path);
    const head = this.#read(join(ownPath, 'HEAD'), maxHeadBytes);
    if (!headText.test(head.toString('latin1')))
      throw this.#problem(
        join(ownPath, 'HEAD'),
        'is damaged; write "ref: refs/heads/" and the name of a branch into it',
      );
    for (const name of ['config', 'packed-refs']) await this.#checkFile(common(name), Infinity);
    const shallow = await this.#readLinked(common('shallow'), maxShallowBytes);
    const config = this.#read(common('config'), maxConfigBytes, none);
    await this.#countPacked(common('packed-refs'));
    for (const name of ['refs', 'reftable']) await this.#checkRefs(common(name));
    return { head, config, shallow, stores: await this.#checkStores(common('objects')) };
  }

  #watch(...files: readonly string[]): void {
    this.#watched.push(...files);
    this.#foundAs += signatureOf(files).text;
  }

  #read(file: string, maxBytes: number, otherwise?: Buffer): Buffer {
    const bytes = readRegular(file, maxBytes + 1, { whenFull: 'throw' }) ?? otherwise;
    if (!bytes) throw this.#problem(file, 'is no regular file of its own; replace it');
    if (bytes.length > maxBytes) throw this.#problem(file, `is longer than ${maxBytes} bytes`);
    return bytes;
  }

  /** A link is followed, as git does, where it may lead. */
  async #readLinked(file: string, maxBytes: number): Promise<Buffer> {
    await this.#checkFile(file, maxBytes);
    return this.#read(await this.#resolve(file), maxBytes, none);
  }

  async #checkFile(file: string, maxBytes: number): Promise<void> {
    const status = await statusOf(file);
    if (!status) return;
    if (!(await this.#kindOf(file, status)).isFile()) throw this.#problem(file, 'is no regular file');
    const { size = 0 } = (await stat(file).catch(() => undefined)) ?? {};
    if (size > maxBytes) throw this.#problem(file, `is longer than ${maxBytes} bytes`);
  }

  async #countPacked(file: string): Promise<void> {
    const descriptor = openRegular(await realpath(file).catch(() => file), { whenFull: 'throw' });
    if (descriptor === undefined) return;
    const isSmall = fstatSync(descriptor).size / minPackedRefBytes <= this.#limits.refs;
    // Closes the file as well.
    const stream = createReadStream(file, { fd: descriptor, ...(isSmall && { end: 0 }) });
    for await (const chunk of stream) this.#addRefs(linesIn(chunk));
  }

  #addRefs(count: number): void {
    this.#refs += count;
    if (this.#refs > this.#limits.refs)
      throw new StorageProblem(`it has more than ${this.#limits.refs} refs; remove some, or raise the setting "refs"`);
  }

  async #checkRefs(path: string): Promise<void> {
    const pending = [path];
    for (let folder = pending.pop(); folder !== undefined; folder = pending.pop())
      for await (const { child, kind, isLink } of this.#entries(folder)) {
        this.#addRefs(1);
        // Git follows such links in circles, and twice as far with each second one.
        if (isLink && kind.isDirectory()) throw this.#problem(child, 'is a link to a folder; remove it');
        if (kind.isDirectory()) pending.push(child);
      }
  }

  /** The store and those that it borrows from: git itself looks five levels deep. */
  async #checkStores(own: string): Promise<ObjectStore[]> {
    const stores = new Map<string, ObjectStore>();
    const pending = [own];
    for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
      const path = await this.#resolve(next);
      if (stores.has(path)) continue;
      this.#watch(...this.#place.boundary.replaceable(path), join(path, 'pack'));
      if (stores.size === maxStores) throw new StorageProblem(`it borrows from more than ${maxStores} object stores`);
      stores.set(path, await this.#checkStore(path));
      pending.push(...(await this.#alternates(path)));
    }
    return [...stores.values()];
  }

  async #checkStore(path: string): Promise<ObjectStore> {
    const folders: string[] = [];
    const unchecked: string[] = [];
    // Side by side: one after the other, 256 folders wait a thousand times for the event loop.
    const check = (): Promise<unknown> =>
      Promise.all(unchecked.splice(0).map((each) => this.#checkObjects(each, fanOutDepth)));
    for await (const { child, name, kind } of this.#entries(path)) {
      if (!kind.isDirectory()) continue;
      if (/^(?:[0-9a-f]{2}|pack)$/.test(name)) folders.push(name);
      unchecked.push(child);
      if (unchecked.length >= foldersAtOnce) await check();
    }
    await check();
    const graphs: string[] = [];
    for (const name of ['commit-graph', 'commit-graphs'])
      if (await statusOf(join(path, 'info', name))) graphs.push(name);
    const packIndex = join(path, 'pack', 'multi-pack-index');
    if (await statusOf(packIndex)) this.#watch(packIndex);
    return { path, folders, graphs, hasSoundPackIndex: await isSoundPackIndex(packIndex) };
  }

  async #checkObjects(folder: string, depth: number): Promise<void> {
    if (depth === fanOutDepth && /\/[0-9a-f]{2}$/.test(folder))
      this.#fanOuts.set(folder, (await statusOf(folder))?.ctimeMs ?? 0);
    for await (const { child, kind, isLink } of this.#entries(folder)) {
      this.#files += 1;
      if (this.#files > this.#limits.files)
        throw new StorageProblem(
          `it has more than ${this.#limits.files} files of objects; run \`git gc\` there, or raise the setting "objectFiles"`,
        );
      if (kind.isDirectory() && !isLink && depth < maxObjectDepth) await this.#checkObjects(child, depth + 1);
    }
  }

  /** Stores that one names in `info/alternates`; those that are not there are as good as not named. */
  async #alternates(store: string): Promise<string[]> {
    const file = join(store, 'info', 'alternates');
    this.#watch(file);
    if (!(await statusOf(file))) return [];
    const lines = this.#read(file, maxAlternatesBytes).toString().split('\n');
    const paths = lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => resolve(store, line));
    const statuses = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)));
    return paths.filter((_, at) => statuses[at]?.isDirectory());
  }

  /** The entries of a folder; none if it is missing. A link counts as its target. */
  async *#entries(path: string): AsyncGenerator<FoundEntry, void, void> {
    const status = await statusOf(path);
    if (!status || !(await this.#kindOf(path, status)).isDirectory()) return;
    if (this.#watched.length < maxWatched && !/\/objects\/[0-9a-f]{2}$/.test(path)) this.#watch(path);
    const folder = await opendir(path, { bufferSize: 512 }).catch((error: unknown) => {
      if (isOutOfDescriptors(error)) throw error;
      throw this.#problem(path, `cannot be read (${error instanceof Error ? error.message : 'unknown error'})`);
    });
    for await (const entry of folder) {
      const child = join(path, entry.name);
      yield { name: entry.name, child, kind: await this.#kindOf(child, entry), isLink: entry.isSymbolicLink() };
    }
  }

  /** What a name stands for: a file or a folder. Throws for what git would wait for, and for what stands elsewhere. */
  async #kindOf(path: string, found: Kind): Promise<Kind> {
    if (found.isFile() || found.isDirectory()) return found;
    if (!found.isSymbolicLink()) throw this.#problem(path, 'is a named pipe, a socket or a device; remove it');
    const target = await stat(await this.#resolve(path)).catch(() => undefined);
    // A link that leads nowhere is for git what is not there.
    return target ? this.#kindOf(path, target) : found;
  }

  async #resolve(path: string): Promise<string> {
    const real = await realpath(path).catch(() => undefined);
    if (real === undefined || this.#place.boundary.holds(real)) return real ?? path;
    throw this.#problem(
      path,
      `leads to ${JSON.stringify(real)}, outside the folder that is served; remove it, or allow that path with "sharedObjectStores"`,
    );
  }

  #problem(path: string, what: string): StorageProblem {
    return new StorageProblem(`${JSON.stringify(relative(this.#place.commonPath, path) || path)} ${what}`);
  }
}

const none = Buffer.alloc(0);

interface FoundEntry {
  name: string;
  child: string;
  /** Of what a link leads to, for a link. */
  kind: Kind;
  isLink: boolean;
}

type Kind = Pick<Dirent | Stats, 'isFile' | 'isDirectory' | 'isSymbolicLink'>;

const statusOf = (path: string): Promise<Stats | undefined> => lstat(path).catch(() => undefined);

function linesIn(chunk: Buffer): number {
  let lines = 0;
  for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1;
  return lines;
}
