import { escapeRegExp } from '@sextant/core';
import type { PackageManifest } from '@sextant/contracts';
import { LRUCache } from 'lru-cache';
import { filesEnding } from '../languages/tree-files.ts';
import { folderOf } from '../paths.ts';
import type { Snapshot, Snapshots } from '../snapshot/snapshot.ts';
import type { NameIndex, NameWanted } from './name-index.ts';
import type { TextCandidates } from './text-candidates.ts';

/** A file that may have a wanted name. Only parsing tells. */
export interface Candidate {
  readonly snapshot: Snapshot;
  readonly path: string;
}

export interface CandidateList {
  readonly files: readonly Candidate[];
  readonly isCut: boolean;
}

interface Place {
  /** Only files directly in this folder; the root is the empty path. */
  readonly folder?: string;
  /** Those below the folder too. */
  readonly isFolderWhole?: boolean;
  /** Only files whose path passes this test. */
  readonly isFitting?: (path: string) => boolean;
}

export interface Where extends NameWanted, Place {
  /** Look only at other repositories with files that may import one of these packages. */
  readonly packages?: readonly string[] | undefined;
  /** Most files. */
  readonly limit: number;
}

/** Paths in one step of the event loop. */
const pathsAtOnce = 1000;
/** Most files that one answer parses for a name in a revision that is not read ahead. */
const mostParsed = { definition: 100, use: 300 };

export interface CandidateSources {
  readonly names: NameIndex;
  readonly manifests: Manifests;
}

/** Finds the files that have a name, among parsed files or by text. It looks only at what the caller may read. */
export class Candidates {
  readonly text: TextCandidates;
  readonly #sources: CandidateSources;
  readonly #snapshots: Snapshots;

  constructor(sources: CandidateSources, text: TextCandidates, snapshots: Snapshots) {
    this.#sources = sources;
    this.text = text;
    this.#snapshots = snapshots;
  }

  /** Files of one commit, those that lie near to a path first. */
  async inSnapshot(snapshot: Snapshot, near: string, where: Where): Promise<CandidateList> {
    const { folder, isFolderWhole, isFitting } = where;
    const paths = await this.#sources.names.inSnapshot(
      snapshot,
      where,
      isFolderWhole || isFitting ? undefined : folder,
    );
    if (!paths) return fitting(await this.text.inSnapshot(snapshot, where), where);
    const unparsed = await this.#nearest(paths.unparsed, { ...where, near, limit: mostParsed[where.role] });
    const within = await this.#nearest([...paths.known, ...unparsed.paths], { ...where, near });
    return {
      files: within.paths.map((path) => ({ snapshot, path })),
      isCut: within.isCut || unparsed.isCut,
    };
  }

  /** The wanted paths that share most folders with `near`, nearest first. */
  async #nearest(
    paths: readonly string[],
    { near, limit, ...place }: Place & { near: string; limit: number },
  ): Promise<{ paths: readonly string[]; isCut: boolean }> {
    const isWanted = isIn(place);
    let nearest: RatedPath[] = [];
    let count = 0;
    for (let at = 0; at < paths.length; at += pathsAtOnce) {
      await this.#snapshots.share();
      const some = paths.slice(at, at + pathsAtOnce).filter(isWanted);
      count += some.length;
      const rated = some.map((path) => ({ path, common: commonLength(path, near) }));
      nearest = [...nearest, ...rated].toSorted(byNearness).slice(0, limit);
    }
    return { paths: nearest.map(({ path }) => path), isCut: count > limit };
  }

  /** Files of the default branches of all other repositories. If there are more than `limit`, they come from all of them in turn. */
  async elsewhere(than: Snapshot, where: Where): Promise<CandidateList> {
    const { names } = this.#sources;
    const others = await this.#others(than);
    const users = where.packages && (await names.importing(where.packages, where.language));
    const found = await names.elsewhere((repo) => others.has(repo) && users?.has(repo) !== false, where);
    const known = await Promise.all([...found].map(([repo, contents]) => this.#filesOf(repo, contents, where)));
    const unknown = new Set([...others].filter((repo) => !names.has(repo)));
    const searched = unknown.size > 0 ? await this.text.inRepositories(unknown, than, where) : undefined;
    const { files } = fitting({ files: inTurns([...known, searched?.files ?? []]), isCut: false }, where);
    return { files: files.slice(0, where.limit), isCut: searched?.isCut === true || files.length > where.limit };
  }

  /** The manifests in all other repositories that give their package a name, those nearest to a root first. */
  async manifests(than: Snapshot, manifest: PackageManifest): Promise<Candidate[]> {
    const found = await Promise.all(
      [...(await this.#others(than))].map(async (repo): Promise<Candidate[]> => {
        const snapshot = await this.#snapshots.openOther(repo);
        const paths = snapshot ? await this.#sources.manifests.having(snapshot, manifest) : [];
        return paths.flatMap((path) => (snapshot ? [{ snapshot, path }] : []));
      }),
    );
    const depthOf = ({ path }: Candidate): number => path.split('/').length;
    return found.flat().toSorted((a, b) => depthOf(a) - depthOf(b));
  }

  /** At most `limit` files and one more. So the caller can tell that the list is cut. */
  async #filesOf(
    repo: string,
    contents: readonly string[],
    { language, isFitting, limit }: Where,
  ): Promise<Candidate[]> {
    const snapshot = await this.#snapshots.openOther(repo);
    if (!snapshot) return [];
    const all = new Set<string>();
    for (let at = 0; at < contents.length; at += pathsAtOnce) {
      await this.#snapshots.share();
      const paths = contents.slice(at, at + pathsAtOnce).flatMap((content) => snapshot.tree.withContent(content));
      for (const path of paths) if (snapshot.languages.of(path)?.family === language.family) all.add(path);
    }
    const some = await this.#nearest([...all], { near: '', limit: limit + 1, ...(isFitting && { isFitting }) });
    return some.paths.map((path) => ({ snapshot, path }));
  }

  async #others({ repo: own }: Snapshot): Promise<ReadonlySet<string>> {
    const readable = await this.#snapshots.readable();
    return new Set(readable.filter((repo) => repo !== own));
  }
}

const fitting = ({ files, isCut }: CandidateList, { isFitting }: Where): CandidateList => ({
  files: isFitting ? files.filter(({ path }) => isFitting(path)) : files,
  isCut,
});

function isIn({ folder, isFolderWhole, isFitting }: Place): (path: string) => boolean {
  if (isFitting) return isFitting;
  if (folder === undefined || (isFolderWhole && folder === '')) return () => true;
  return isFolderWhole ? (path) => path.startsWith(`${folder}/`) : (path) => folderOf(path) === folder;
}

interface RatedPath {
  readonly path: string;
  /** Characters of the folders around it and around another. */
  readonly common: number;
}

const byNearness = (a: RatedPath, b: RatedPath): number => b.common - a.common || (a.path < b.path ? -1 : 1);

/** Characters of the folders around both. */
function commonLength(path: string, other: string): number {
  let end = 0;
  for (let index = 0; index < path.length && path[index] === other[index]; index += 1)
    if (path[index] === '/') end = index + 1;
  return end;
}

/** The first of each list, then the second of each. */
function inTurns<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) =>
    lists.flatMap((list) => (index < list.length ? list.slice(index, index + 1) : [])),
  ).flat();
}

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

const depthOf = (path: string): number => path.split('/').length;

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
