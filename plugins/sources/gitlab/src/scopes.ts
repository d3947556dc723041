import { SextantError } from '@sextant/core';
import type { HostApi } from '@sextant/library-host-api';
import { notedAt, pageOfProjects, unnotedMs } from './answers.ts';
import type { GitLabProject } from './answers.ts';
import type { GitLabConfig } from './config.ts';

/** The most that GitLab gives at once. */
export const pageSize = 100;

type Query = Readonly<Record<string, string | number | boolean>>;

/** One list of projects. */
interface Scope {
  readonly path: string;
  readonly query: Query;
  /** Whether GitLab lists it by id, so that nothing that comes or goes meanwhile moves the rest. */
  readonly hasKeyset: boolean;
}

/** How lists by id are asked for. */
export const byId = { pagination: 'keyset', order_by: 'id', sort: 'asc', per_page: pageSize } as const;

/** The projects that the configuration asks for. */
export class Scopes {
  readonly #api: HostApi;
  readonly #scopes: readonly Scope[];
  /** Ids that were listed, by the path of the scope. */
  readonly #listed = new Map<string, ReadonlySet<number>>();

  constructor(config: GitLabConfig, api: HostApi) {
    this.#api = api;
    this.#scopes = scopesOf(config);
  }

  /** All of them, each once. Throws `unavailable` where some may be missing. */
  async *list(signal: AbortSignal): AsyncIterable<readonly GitLabProject[]> {
    const seen = new Set<number>();
    for (const scope of this.#scopes) {
      const ids: number[] = [];
      for await (const projects of scope.hasKeyset ? this.#byId(scope, signal) : this.#wholly(scope, signal)) {
        ids.push(...projects.map(({ id }) => id));
        yield fresh(projects, seen);
      }
      this.#listed.set(scope.path, new Set(ids));
    }
  }

  /** Those that changed since, each once. Throws `conflict` where others came or went. */
  async *listChanged(since: string, signal: AbortSignal): AsyncIterable<readonly GitLabProject[]> {
    const first = Date.parse(since) - 2 * unnotedMs;
    const seen = new Set<number>();
    for (const scope of this.#scopes) {
      const known = new Set(this.#listed.get(scope.path));
      let total: number | undefined;
      for await (const page of this.#byPage(scope, { order_by: 'updated_at', sort: 'desc' }, signal)) {
        total = page.total;
        const changed = page.projects.filter((each) => notedAt(each) >= first);
        for (const { id } of changed) known.add(id);
        yield fresh(changed, seen);
        if (changed.length < page.projects.length) break;
      }
      if (total !== undefined && total !== known.size)
        throw new SextantError('conflict', `projects of GitLab came or went (${scope.path})`);
      this.#listed.set(scope.path, known);
    }
  }

  async *#byId({ path, query }: Scope, signal: AbortSignal): AsyncIterable<readonly GitLabProject[]> {
    const asked = { path, query: { ...query, ...byId }, schema: pageOfProjects, waits: true, signal };
    for await (const { value } of this.#api.pages(asked)) yield value;
  }

  /** By pages that move when something comes or goes: read again where GitLab does not say how many there are. */
  async *#wholly(scope: Scope, signal: AbortSignal): AsyncIterable<readonly GitLabProject[]> {
    const order = { order_by: 'id', sort: 'asc' };
    const ids: number[] = [];
    const totals = new Set<number | undefined>();
    for await (const { projects, total } of this.#byPage(scope, order, signal)) {
      totals.add(total);
      ids.push(...projects.map(({ id }) => id));
      yield projects;
    }
    const again: number[] = [];
    if (totals.has(undefined))
      for await (const { projects } of this.#byPage(scope, order, signal)) again.push(...projects.map(({ id }) => id));
    const isWhole = totals.has(undefined)
      ? again.join() === ids.join()
      : totals.size === 1 && totals.has(new Set(ids).size);
    if (!isWhole)
      throw new SextantError('unavailable', `projects of GitLab came or went while they were listed (${scope.path})`);
  }

  async *#byPage(
    { path, query }: Scope,
    order: Query,
    signal: AbortSignal,
  ): AsyncIterable<{ projects: readonly GitLabProject[]; total: number | undefined }> {
    for (let page = 1; page > 0; ) {
      const asked = { ...query, ...order, per_page: pageSize, page };
      const { value, headers } = await this.#api.read({
        path,
        query: asked,
        schema: pageOfProjects,
        waits: true,
        signal,
      });
      yield { projects: value, total: totalOf(headers) };
      const next = Number(headers.get('x-next-page') ?? 0);
      page = next > page ? next : 0;
    }
  }
}

function scopesOf({ url, groups, users }: GitLabConfig): readonly Scope[] {
  const named: Scope[] = [
    ...groups.map((group) => ({
      path: `/groups/${encodeURIComponent(group)}/projects`,
      query: { include_subgroups: true, with_shared: false },
      hasKeyset: false,
    })),
    ...users.map((user) => ({ path: `/users/${encodeURIComponent(user)}/projects`, query: {}, hasKeyset: true })),
  ];
  if (named.length > 0) return named;
  // Everyone sees everything public there.
  const query = { membership: new URL(url).host === 'gitlab.com' };
  return [{ path: '/projects', query, hasKeyset: true }];
}

function fresh(projects: readonly GitLabProject[], seen: Set<number>): GitLabProject[] {
  const unseen = projects.filter(({ id }) => !seen.has(id));
  for (const { id } of unseen) seen.add(id);
  return unseen;
}

/** Absent where there are more than 10,000. */
function totalOf(headers: Headers): number | undefined {
  const total = headers.get('x-total');
  return total === null || total === '' ? undefined : Number(total);
}
