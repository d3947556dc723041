import { SextantError } from '@sextant/core';
import type { HostApi } from '@sextant/library-host-api';
import type { BitbucketConfig } from '../config.ts';
import { counted, pageOfIds, pageOfRepositories } from './answers.ts';
import type { CloudRepository } from './answers.ts';

/** The most that Bitbucket gives at once. */
export const pageLength = 100;

interface Scope {
  readonly workspace: string;
  readonly path: string;
  /** A query of Bitbucket; undefined: all of the workspace. */
  readonly q: string | undefined;
}

/** Repositories of a workspace as they were listed: whether each is private, by its id. */
type Listed = ReadonlyMap<string, boolean>;

/** The repositories that the configuration asks for. */
export class Scopes {
  readonly #api: HostApi;
  readonly #scopes: readonly Scope[];
  readonly #listed = new Map<Scope, Listed>();

  constructor({ workspaces, projects }: BitbucketConfig, api: HostApi) {
    this.#api = api;
    const q = projects.length > 0 ? projects.map((key) => `project.key="${key}"`).join(' OR ') : undefined;
    this.#scopes = workspaces.map((workspace) => ({ workspace, path: `/repositories/${workspace}`, q }));
  }

  /** All of them. Throws `unavailable` where some may be missing. */
  async *list(signal: AbortSignal): AsyncIterable<readonly CloudRepository[]> {
    for (const scope of this.#scopes) {
      const ids: string[] = [];
      const sizes = new Set<number | undefined>();
      const listed = new Map<string, boolean>();
      for await (const { size, values } of this.#pages(scope, 'created_on', signal)) {
        sizes.add(size);
        for (const { uuid, is_private: isPrivate } of values) listed.set(uuid, isPrivate);
        ids.push(...values.map(({ uuid }) => uuid));
        yield values;
      }
      const isWhole = sizes.has(undefined)
        ? (await this.#ids(scope, signal)).join() === ids.join()
        : sizes.size === 1 && sizes.has(listed.size);
      if (!isWhole)
        throw new SextantError('unavailable', `repositories of ${scope.workspace} came or went while they were listed`);
      this.#listed.set(scope, listed);
    }
  }

  /** Those that changed since. Throws `conflict` where others came or went, or are private, than were listed. */
  async *listChanged(since: string, signal: AbortSignal): AsyncIterable<readonly CloudRepository[]> {
    const first = Date.parse(since);
    for (const scope of this.#scopes) {
      const listed = new Map(this.#listed.get(scope));
      let total: number | undefined;
      for await (const { size, values } of this.#pages(scope, '-updated_on', signal)) {
        total = size;
        const changed = values.filter(({ updated_on: at }) => Date.parse(at) >= first);
        for (const { uuid, is_private: isPrivate } of changed) listed.set(uuid, isPrivate);
        yield changed;
        if (changed.length < values.length) break;
      }
      const known = [...listed.values()].filter((isPrivate) => isPrivate).length;
      const told = await this.#countPrivate(scope, signal);
      if ((total ?? listed.size) !== listed.size || (told ?? known) !== known)
        throw new SextantError('conflict', `repositories of ${scope.workspace} came, went, or became private`);
      this.#listed.set(scope, listed);
    }
  }

  async *#pages({ path, q }: Scope, sort: string, signal: AbortSignal) {
    const query = { pagelen: pageLength, sort, ...(q !== undefined && { q }) };
    const asked = { path, query, schema: pageOfRepositories, waits: true, signal };
    for await (const { value } of this.#api.pages({ ...asked, next: ({ next }) => next })) yield value;
  }

  async #ids({ path, q }: Scope, signal: AbortSignal): Promise<string[]> {
    const query = {
      pagelen: pageLength,
      sort: 'created_on',
      fields: 'next,values.uuid',
      ...(q !== undefined && { q }),
    };
    const asked = { path, query, schema: pageOfIds, waits: true, signal };
    const ids: string[] = [];
    for await (const { value } of this.#api.pages({ ...asked, next: ({ next }) => next }))
      ids.push(...value.values.map(({ uuid }) => uuid));
    return ids;
  }

  /** Undefined where Bitbucket does not say. */
  async #countPrivate({ path, q }: Scope, signal: AbortSignal): Promise<number | undefined> {
    const query = { pagelen: 1, fields: 'size', q: `is_private=true${q === undefined ? '' : ` AND (${q})`}` };
    const { value } = await this.#api.read({ path, query, schema: counted, waits: true, signal });
    return value.size;
  }
}
