import type { FoundCommit, TreeEntry } from '@sextant/contracts';
import { isSextantError } from '@sextant/core';
import { Remembered } from '../remembered.ts';
import { pathGlobs } from '../visit.ts';
import type { Visit } from '../visit.ts';

/** The newest commits of a folder that are looked through for its entries. */
const mostCommits = 400;
/** Entries that none of them changed, whose history is asked for one by one. */
const mostAskedAlone = 60;

export type LastCommit = Pick<FoundCommit, 'commit' | 'title' | 'author' | 'date'>;

interface Folder {
  readonly commit: string;
  readonly path: string;
  readonly entries: readonly TreeEntry[];
}

const remembered = new Remembered<ReadonlyMap<string, LastCommit>>(500);

/** The last commit that changed each entry of a folder, by the entry's path. Entries whose commit is not known are absent. */
export const lastCommits = async (visit: Visit, folder: Folder): Promise<ReadonlyMap<string, LastCommit>> =>
  (await remembered.find([visit.repository.info.name, folder.commit, folder.path], (signal) =>
    newestOf(visit, folder, signal),
  )) ?? new Map();

async function newestOf(
  visit: Visit,
  { commit, path, entries }: Folder,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, LastCommit> | undefined> {
  const known = new Map<string, LastCommit>();
  try {
    const wanted = new Set(entries.map((entry) => entry.path));
    for (const found of await commitsOf(visit, { commit, path, count: mostCommits }, signal))
      for (const changed of found.files?.paths ?? []) {
        const entry = childOf(path, changed);
        if (wanted.has(entry) && !known.has(entry)) known.set(entry, shortened(found));
      }
    const others = entries.filter((entry) => !known.has(entry.path)).slice(0, mostAskedAlone);
    await Promise.all(
      others.map(async (entry) => {
        const [found] = await commitsOf(visit, { commit, path: entry.path, count: 1 }, signal);
        if (found) known.set(entry.path, shortened(found));
      }),
    );
    return known;
  } catch (error) {
    // A folder is of use without them.
    if (isSextantError(error)) return undefined;
    throw error;
  }
}

/** Without its paths and message, which would fill the memory. */
const shortened = ({ commit, title, author, date }: FoundCommit): LastCommit => ({ commit, title, author, date });

/** The entry of a folder in which a path lies. */
function childOf(folder: string, path: string): string {
  const start = folder === '' ? 0 : folder.length + 1;
  const end = path.indexOf('/', start);
  return end < 0 ? path : path.slice(0, end);
}

async function commitsOf(
  { services, call, repository }: Visit,
  { commit, path, count }: { commit: string; path: string; count: number },
  signal: AbortSignal,
): Promise<readonly FoundCommit[]> {
  const filter = { revisions: [commit], messages: [], authors: [], contents: [], isRegex: false };
  const request = { ...filter, repositories: [repository.info.name], paths: pathGlobs(path), count };
  return (await services.history?.commits(call.caller, request, signal))?.results ?? [];
}
