import type { StoredRef, StoredRepository } from '@sextant/contracts';
import { SextantError, isSextantError } from '@sextant/core';
import { refNameRegex, refRegex } from './glob.ts';
import type { HistoryPatterns } from './patterns.ts';

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
  const asked = sorted(revisions);
  const unknown: string[] = [];
  const resolved = async (names: readonly string[], prefix = ''): Promise<string[]> => {
    const found = await Promise.all(names.map((name) => resolve(repository, name, signal)));
    unknown.push(...names.filter((_, index) => found[index] === undefined).map((name) => prefix + name));
    return found.filter((hash) => hash !== undefined);
  };
  const exclude = [...(await resolved(asked.excluded, '^')), ...(await resolved(asked.from))];
  const named = await resolved(asked.included);
  const refs = await globTips(repository, asked, request);
  if (asked.globs.length > 0 && refs.length === 0) unknown.push(...asked.globs);
  const head = asked.globs.length + asked.included.length === 0 ? await repository.head(signal) : undefined;
  return { include: [...new Set([...named, ...refs, ...(head === undefined ? [] : [head])])], exclude, unknown };
}

/** Revisions by what they say. */
interface Sorted {
  readonly included: string[];
  readonly excluded: string[];
  /** Where ranges begin. */
  readonly from: string[];
  readonly globs: string[];
  /** Refs that no glob means. */
  readonly negated: string[];
}

function sorted(revisions: readonly string[]): Sorted {
  const asked: Sorted = { included: [], excluded: [], from: [], globs: [], negated: [] };
  for (const revision of revisions) {
    const [, from, dots = '', to = ''] = /^(.*?)(\.{2,})(.*)$/.exec(revision) ?? [];
    if (revision.startsWith('*!')) asked.negated.push(revision.slice(2));
    else if (revision.startsWith('^')) asked.excluded.push(revision.slice(1));
    else if (/[*?[]/.test(revision)) asked.globs.push(revision);
    else if (from === undefined) asked.included.push(revision);
    else if (dots !== '..') throw threeDots(revision);
    else {
      asked.from.push(from || 'HEAD');
      asked.included.push(to || 'HEAD');
    }
  }
  return asked;
}

const threeDots = (revision: string): SextantError =>
  new SextantError(
    'invalid_argument',
    `Argument "revisions": "${revision.slice(0, 100)}" is no range; write a..b for what b has and a has not (compare_revisions compares from the merge base).`,
  );

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
  { globs, negated }: Sorted,
  { patterns, signal }: TipsRequest,
): Promise<string[]> {
  if (globs.length === 0) return [];
  const refs = await repository.refs(signal);
  const matching = (regexes: readonly string[]): StoredRef[] => {
    const list = { patterns: regexes, argument: 'revisions', isRegex: true, foldCase: false };
    return patterns.select(refs, ({ name }) => name, list);
  };
  const unwanted = new Set(matching(negated.map(refRegex)));
  const wanted = globs.flatMap((glob) => {
    const found = glob.startsWith('*') ? matching([refRegex(glob.slice(1))]) : [];
    // `*-stable` is no glob of whole refs, but of names.
    return found.length > 0 ? found : matching([refNameRegex(glob)]);
  });
  return wanted.filter((ref) => !unwanted.has(ref)).map(({ commit }) => commit);
}
