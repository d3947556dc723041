import { SextantError, didYouMean, isSextantError } from '@sextant/core';
import type { StoredRepository } from '@sextant/contracts';
import type { Query } from '@sextant/library-query';
import { atRevision, defaultRevision, revisionFilters } from './scope.ts';

/** A commit to search in, with what is left of the query there. */
export interface Target {
  readonly repository: StoredRepository;
  /** Undefined for the default branch. */
  readonly revision: string | undefined;
  readonly commit: string;
  readonly query: Query;
}

/** Most revisions of one repository in one search. */
const maxRevisions = 64;

/** The commits of a repository that a query names. `unknown` gets the revisions that it does not have. */
export async function targetsIn(
  repository: StoredRepository,
  query: Query,
  { unknown, signal }: { unknown: Set<string>; signal: AbortSignal },
): Promise<Target[]> {
  const commits = new Map<string, { commit: string; namedBy: Set<string> }>();
  for (const named of new Set(revisionFilters(query).flatMap(({ revisions }) => revisions))) {
    const found = await commitsOf(repository, named, signal);
    if (found.length === 0 && named !== defaultRevision) unknown.add(named);
    for (const { name, commit } of found) {
      const known = commits.get(name) ?? { commit, namedBy: new Set() };
      commits.set(name, known);
      known.namedBy.add(named);
    }
  }
  if (commits.size > maxRevisions)
    throw new SextantError(
      'too_large',
      `the query names ${commits.size} revisions of one repository; at most ${maxRevisions} are searched at once`,
    );
  return [...commits].flatMap(([name, { commit, namedBy }]) => {
    const left = atRevision(query, ({ revisions }) => revisions.some((revision) => namedBy.has(revision)));
    const revision = name === defaultRevision ? undefined : name;
    return left.kind === 'none' ? [] : [{ repository, revision, commit, query: left }];
  });
}

/** Repositories of which names of refs are suggested. */
const mostRepositories = 20;

/** Which name of these repositories is near the first of some revisions: a sentence, or nothing. */
export async function nearRevision(
  [revision = '']: readonly string[],
  repositories: readonly StoredRepository[],
  signal: AbortSignal,
): Promise<string> {
  // One whose refs cannot be read has nothing to suggest.
  const read = await Promise.allSettled(repositories.slice(0, mostRepositories).map((each) => each.refs(signal)));
  const refs = read.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  return didYouMean(
    revision,
    refs.map(({ name }) => name.replace(/^refs\/(heads|tags)\//, '')),
  );
}

interface NamedCommit {
  readonly name: string;
  readonly commit: string;
}

async function commitsOf(repository: StoredRepository, revision: string, signal: AbortSignal): Promise<NamedCommit[]> {
  if (revision === defaultRevision) {
    const head = await repository.head(signal);
    return head === undefined ? [] : [{ name: revision, commit: head }];
  }
  if (revision.includes('*')) return refsLike(repository, revision, signal);
  try {
    return [{ name: revision, commit: await repository.resolve(revision, signal) }];
  } catch (error) {
    if (isSextantError(error) && error.code === 'not_found') return [];
    throw error;
  }
}

/** A glob is one of branches unless it says `refs/tags/`. */
async function refsLike(repository: StoredRepository, glob: string, signal: AbortSignal): Promise<NamedCommit[]> {
  const place = /^\*?refs\/tags\//.test(glob) ? 'refs/tags' : 'refs/heads';
  const names = glob.replace(/^\*?refs\/(heads|tags)\//, '');
  const refs = await repository.refs(signal);
  return refs
    .filter(({ name }) => name.startsWith(`${place}/`))
    .map(({ name, commit }) => ({ name: name.slice(place.length + 1), commit }))
    .filter(({ name }) => isLike(name, names));
}

/** Whether a name fits a glob of `*` and `?`: each text between two `*` is found as early as possible. */
export function isLike(name: string, glob: string): boolean {
  const pieces = glob.split('*');
  const [first = '', last = ''] = [pieces[0], pieces.at(-1)];
  if (pieces.length === 1) return name.length === glob.length && isAt(name, glob, 0);
  if (!isAt(name, first, 0)) return false;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    while (at + piece.length <= name.length && !isAt(name, piece, at)) at += 1;
    at += piece.length;
  }
  return at + last.length <= name.length && isAt(name, last, name.length - last.length);
}

const isAt = (name: string, piece: string, at: number): boolean =>
  at + piece.length <= name.length && [...piece.split('').entries()].every(([i, c]) => c === '?' || c === name[at + i]);
