import { timeoutSignal } from '@sextant/core';
import type { IndexState, IndexStates, Links, Repositories, RepositoryInfo } from '@sextant/contracts';
import type { Caller } from '@sextant/core';
import { overviewOf } from './overview.ts';
import type { Overview } from './overview.ts';

export const pageSize = 100;

/** One line of the list. */
export interface ListedRepository {
  readonly info: RepositoryInfo;
  /** Of its page on this server. */
  readonly path: string;
  /** Absent where nothing indexes. */
  readonly index: IndexState | undefined;
}

/** A row with what its repository says of itself; `later` where that takes longer than the page waits. */
export type OverviewOf = (row: ListedRepository) => Overview | undefined | 'later';

/** A page of the repositories that someone may read. */
export interface RepositoryPage {
  readonly rows: readonly ListedRepository[];
  readonly filter: string;
  /** From 1. */
  readonly page: number;
  /** Of those that the filter leaves, and of all. */
  readonly matching: number;
  readonly total: number;
}

interface Services {
  readonly repositories: Repositories;
  readonly links: Links;
  readonly states: IndexStates | undefined;
}

export async function listRepositories(
  caller: Caller,
  { repositories, links, states }: Services,
  wanted: { readonly filter: string; readonly page: string },
): Promise<RepositoryPage> {
  const [infos, indexed] = await Promise.all([repositories.list(caller), states?.list(caller) ?? []]);
  const stateOf = new Map(indexed.map((state) => [state.repo, state]));
  const filter = wanted.filter.slice(0, 200);
  const matching = infos.filter(({ name }) => name.toLowerCase().includes(filter.toLowerCase()));
  const last = Math.max(1, Math.ceil(matching.length / pageSize));
  const page = /^\d{1,6}$/.test(wanted.page) ? Math.min(Math.max(1, Number(wanted.page)), last) : 1;
  const rows = matching.slice((page - 1) * pageSize, page * pageSize).map((info) => ({
    info,
    // The host that the viewer uses. It may differ from the host in the links of answers.
    path: new URL(links.file({ repo: info.name, path: '' })).pathname,
    index: stateOf.get(info.name),
  }));
  return { rows, filter, page, matching: matching.length, total: infos.length };
}

/** What the repositories of a page say of themselves, as far as it is known after so many milliseconds. */
export async function overviewsOf(
  { rows }: RepositoryPage,
  { repositories, caller, milliseconds }: { repositories: Repositories; caller: Caller; milliseconds: number },
): Promise<OverviewOf> {
  const signal = timeoutSignal(milliseconds);
  const known = new Map<string, Overview | undefined>();
  const all = Promise.all(
    rows.map(async ({ info: { name } }) => {
      known.set(name, await overviewOf(name, { repositories, caller, signal }));
    }),
  );
  const late = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  await Promise.race([all, late]);
  const isLate = signal.aborted;
  return ({ info: { name } }) => known.get(name) ?? (isLate ? 'later' : undefined);
}
