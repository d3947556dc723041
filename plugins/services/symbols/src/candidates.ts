import type { PackageManifest } from '@sextant/contracts';
import type { Manifests } from './manifests.ts';
import type { NameIndex, NameWanted } from './name-index.ts';
import { folderOf } from './paths.ts';
import type { Snapshot } from './snapshot.ts';
import type { Snapshots } from './snapshots.ts';
import type { TextCandidates } from './text-candidates.ts';

/** A file that may be what is looked for, found without reading it. */
export interface Candidate {
  readonly snapshot: Snapshot;
  readonly path: string;
}

export interface CandidateList {
  readonly files: readonly Candidate[];
  readonly isCut: boolean;
}

export interface Where extends NameWanted {
  /** Only files directly in this folder; the root is the empty path. */
  readonly folder?: string;
  /** Those below the folder too. */
  readonly isFolderWhole?: boolean;
  /** Of other repositories only those with files that may import one of these packages. */
  readonly packages?: readonly string[] | undefined;
  /** Only files whose path fits. */
  readonly isFitting?: (path: string) => boolean;
  /** Most files. */
  readonly limit: number;
}

/** Files of a revision that is not read ahead that one answer parses for a name. */
const mostParsed = { definition: 100, use: 300 };

export interface CandidateSources {
  readonly names: NameIndex;
  readonly manifests: Manifests;
}

/**
 * Finds the files that have a name by what is known of parsed files; where that is not known yet, by their text. Either looks
 * only at what the caller may read.
 */
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
    const known = paths.known.filter(isIn(where));
    const unparsed = nearestFirst(paths.unparsed.filter(isIn(where)), near);
    const parsed = unparsed.slice(0, mostParsed[where.role]);
    const within = nearestFirst([...known, ...parsed], near);
    return {
      files: within.slice(0, where.limit).map((path) => ({ snapshot, path })),
      isCut: within.length > where.limit || parsed.length < unparsed.length,
    };
  }

  /** Files of the default branches of all repositories but one; some of each where there are more than are wanted. */
  async elsewhere(than: Snapshot, where: Where): Promise<CandidateList> {
    const { names } = this.#sources;
    const others = await this.#others(than);
    const users = where.packages && names.importing(where.packages, where.language);
    const found = names.elsewhere((repo) => others.has(repo) && users?.has(repo) !== false, where);
    const known = await Promise.all([...found].map(([repo, contents]) => this.#filesOf(repo, contents, where)));
    const unknown = new Set([...others].filter((repo) => !names.has(repo)));
    const searched = unknown.size > 0 ? await this.text.inRepositories(unknown, than, where) : undefined;
    const { files } = fitting({ files: inTurns([...known, searched?.files ?? []]), isCut: false }, where);
    return { files: files.slice(0, where.limit), isCut: searched?.isCut === true || files.length > where.limit };
  }

  /** The files in all repositories but one that say that their package has a name, those nearest to a root first. */
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

  async #filesOf(repo: string, contents: readonly string[], { language }: Where): Promise<Candidate[]> {
    const snapshot = await this.#snapshots.openOther(repo);
    if (!snapshot) return [];
    const paths = contents.flatMap((content) => snapshot.tree.withContent(content));
    const fitting = paths.filter((path) => snapshot.languages.of(path)?.family === language.family);
    return [...new Set(fitting)].toSorted().map((path) => ({ snapshot, path }));
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

function isIn({ folder, isFolderWhole, isFitting }: Where): (path: string) => boolean {
  if (isFitting) return isFitting;
  if (folder === undefined || (isFolderWhole && folder === '')) return () => true;
  return isFolderWhole ? (path) => path.startsWith(`${folder}/`) : (path) => folderOf(path) === folder;
}

/** By the folders that their paths have in common with another. */
function nearestFirst(paths: readonly string[], near: string): string[] {
  const rated = paths.map((path) => ({ path, common: commonLength(path, near) }));
  return rated.toSorted((a, b) => b.common - a.common || (a.path < b.path ? -1 : 1)).map(({ path }) => path);
}

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
