import type { StoredRepository } from '@sextant/contracts';
import { isSextantError } from '@sextant/core';
import { refRegex } from '../request/glob.ts';
import type { HistoryPatterns } from '../request/patterns.ts';

/** Where a walk begins, and what it leaves out with all that lies behind. Full hashes. */
export interface Tips {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

export interface FoundTips extends Tips {
  /** Revisions that this repository does not have. */
  readonly unknown: readonly string[];
}

export interface TipsRequest {
  readonly revisions: readonly string[];
  readonly patterns: HistoryPatterns;
  readonly signal: AbortSignal;
}

/** What revisions mean in a repository. Throws `invalid_argument` for what cannot be one. */
export async function tipsOf(repository: StoredRepository, request: TipsRequest): Promise<FoundTips> {
  const { revisions, signal } = request;
  const globs = revisions.filter((revision) => revision.startsWith('*') && !revision.startsWith('*!'));
  const excluded = revisions.filter((revision) => revision.startsWith('^'));
  const plain = revisions.filter((revision) => !/^[*^]/.test(revision));
  const unknown: string[] = [];
  const resolved = async (names: readonly string[], prefix = ''): Promise<string[]> => {
    const found = await Promise.all(names.map((name) => resolve(repository, name, signal)));
    unknown.push(...names.filter((_, index) => found[index] === undefined).map((name) => prefix + name));
    return found.filter((hash) => hash !== undefined);
  };
  const exclude = await resolved(
    excluded.map((revision) => revision.slice(1)),
    '^',
  );
  const named = await resolved(plain);
  const refs = await globTips(repository, globs, request);
  if (globs.length > 0 && refs.length === 0) unknown.push(...globs);
  const head = globs.length + plain.length === 0 ? await repository.head(signal) : undefined;
  return { include: [...new Set([...named, ...refs, ...(head === undefined ? [] : [head])])], exclude, unknown };
}

async function resolve(repository: StoredRepository, name: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    return await repository.resolve(name, signal);
  } catch (error) {
    if (isSextantError(error) && error.code === 'not_found') return undefined;
    throw error;
  }
}

/** The commits of the refs that a glob means and no negated one. */
async function globTips(
  repository: StoredRepository,
  globs: readonly string[],
  { revisions, patterns, signal }: TipsRequest,
): Promise<string[]> {
  if (globs.length === 0) return [];
  const negated = revisions.filter((revision) => revision.startsWith('*!'));
  const common = { argument: 'revisions', isRegex: true, foldCase: false };
  const refs = await repository.refs(signal);
  const wanted = patterns.anyOf({ ...common, patterns: globs.map((glob) => refRegex(glob.slice(1))) });
  const unwanted = patterns.anyOf({ ...common, patterns: negated.map((glob) => refRegex(glob.slice(2))) });
  try {
    return refs.filter(({ name }) => wanted?.test(name) && !unwanted?.test(name)).map(({ commit }) => commit);
  } finally {
    wanted?.release();
    unwanted?.release();
  }
}
