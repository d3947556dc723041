import type { Language, PackageManifest, Search, SoughtElsewhere } from '@sextant/contracts';
import { mostParsed } from '../limits.ts';
import { folderOf } from '../paths.ts';
import type { Snapshot, Snapshots } from '../snapshot/snapshot.ts';
import { definedIn, fileKey } from '../snapshot/source-file.ts';
import type { CommitFile, IsWanted, Target } from '../snapshot/source-file.ts';
import { depthOf } from './manifests.ts';
import type { Manifests } from './manifests.ts';
import type { NameIndex, NameWanted } from './name-index.ts';
import { TextCandidates } from './text-candidates.ts';

/** Files that may have a wanted name. Only parsing tells. */
export interface CandidateList {
  readonly files: readonly CommitFile[];
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

/** Where definitions of a name are looked for. The language is that of the file that asks unless said. */
export type DefinersWanted = Omit<Where, 'role' | 'language'> & { readonly language?: Language };

/** The repository that asks for what others have. */
export type Asking = Pick<Snapshot, 'repo' | 'languages'>;

/** Paths in one step of the event loop. */
const pathsAtOnce = 1000;

export interface CandidateSources {
  readonly names: NameIndex;
  readonly manifests: Manifests;
  readonly search: Search;
}

/** Finds the files that have a name, among parsed files or by text. It looks only at what the caller may read. */
export class Candidates {
  readonly text: TextCandidates;
  /** What was looked for in other repositories than that of the request, in the order in which it was. */
  readonly sought: SoughtElsewhere[] = [];
  readonly #sources: CandidateSources;
  readonly #snapshots: Snapshots;

  constructor(sources: CandidateSources, snapshots: Snapshots) {
    this.#sources = sources;
    this.text = new TextCandidates(sources.search, snapshots);
    this.#snapshots = snapshots;
  }

  /** Files of one commit, those that lie near to a path first. */
  async inSnapshot(snapshot: Snapshot, near: string, where: Where): Promise<CandidateList> {
    const { folder, isFolderWhole, isFitting, role, limit } = where;
    const { names } = this.#sources;
    const parsed = await names.inSnapshot(snapshot, where, isFolderWhole || isFitting ? undefined : folder);
    const found = parsed ? { paths: parsed, isCut: false } : await this.text.inSnapshot(snapshot, where);
    const most = parsed ? limit : Math.min(limit, mostParsed[role]);
    const within = await this.#nearest(found.paths, { ...where, near, limit: most });
    return { files: within.paths.map((path) => ({ snapshot, path })), isCut: found.isCut || within.isCut };
  }

  /** The files of a commit that define a name, those that lie near to a file first. */
  async definers({ snapshot, path }: CommitFile, wanted: DefinersWanted): Promise<CandidateList> {
    const { language = snapshot.languages.of(path) } = wanted;
    if (!language) return { files: [], isCut: false };
    return this.inSnapshot(snapshot, path, { ...wanted, language, role: 'definition' });
  }

  /** Their definitions of the name that pass a test. */
  async definitions(from: CommitFile, wanted: DefinersWanted, isWanted: IsWanted): Promise<Target[]> {
    return definedIn((await this.definers(from, wanted)).files, wanted.name, isWanted);
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
  async elsewhere(than: Asking, where: Where): Promise<CandidateList> {
    this.sought.push(soughtName(where));
    const { names } = this.#sources;
    const others = await this.#others(than);
    // Looked at first: what is read ahead from here on may be in neither list.
    const unknown = new Set([...others].filter((repo) => !names.has(repo)));
    const users = where.packages && (await names.importing(where.packages, where.language));
    const found = await names.elsewhere((repo) => others.has(repo) && users?.has(repo) !== false, where);
    const known = await Promise.all([...found].map(([repo, contents]) => this.#filesOf(repo, contents, where)));
    const searched = unknown.size > 0 ? await this.text.inRepositories(unknown, than, where) : undefined;
    const { isFitting = () => true, limit } = where;
    const files = unique(inTurns([...known, searched?.files ?? []])).filter(({ path }) => isFitting(path));
    return { files: files.slice(0, limit), isCut: searched?.isCut === true || files.length > limit };
  }

  /** The manifests in all other repositories that give their package a name, those nearest to a root first. */
  async manifests(than: Asking, manifest: PackageManifest): Promise<CommitFile[]> {
    this.sought.push({ kind: 'manifest', ...manifest });
    const found = await Promise.all(
      [...(await this.#others(than))].map(async (repo): Promise<CommitFile[]> => {
        const snapshot = await this.#snapshots.openOther(repo);
        const paths = snapshot ? await this.#sources.manifests.having(snapshot, manifest) : [];
        return paths.flatMap((path) => (snapshot ? [{ snapshot, path }] : []));
      }),
    );
    return found.flat().toSorted((a, b) => depthOf(a.path) - depthOf(b.path));
  }

  /** At most `limit` files and one more. So the caller can tell that the list is cut. */
  async #filesOf(
    repo: string,
    contents: readonly string[],
    { language, isFitting, limit }: Where,
  ): Promise<CommitFile[]> {
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

  async #others({ repo: own }: Asking): Promise<ReadonlySet<string>> {
    const readable = await this.#snapshots.readable();
    return new Set(readable.filter((repo) => repo !== own));
  }
}

const soughtName = ({ name, role, language, besides, packages }: Where): SoughtElsewhere => ({
  kind: 'name',
  name,
  role,
  language: language.name,
  ...(besides !== undefined && { besides }),
  ...(packages && { packages }),
});

/** What is found by name may be found by text too. */
const unique = (files: readonly CommitFile[]): CommitFile[] => [
  ...new Map(files.map((file) => [fileKey(file), file])).values(),
];

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
