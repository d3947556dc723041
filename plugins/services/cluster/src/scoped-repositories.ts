import type { Asking, Repositories, Repository, RepositoryInfo } from '@sextant/contracts';
import type { Caller } from '@sextant/core';

/** Callers of which a node shows only some repositories: those that a host asks it about. */
export class CallerScopes {
  readonly #scopes = new WeakMap<Caller, ReadonlySet<string>>();

  scoped(caller: Caller, repositories: readonly string[]): Caller {
    const scoped = { ...caller };
    this.#scopes.set(scoped, new Set(repositories));
    return scoped;
  }

  of(caller: Caller): ReadonlySet<string> | undefined {
    return this.#scopes.get(caller);
  }
}

/** The repositories that a caller may read, and of these only those of their scope. */
export class ScopedRepositories implements Repositories {
  readonly #inner: Repositories;
  readonly #scopes: CallerScopes;

  constructor(inner: Repositories, scopes: CallerScopes) {
    this.#inner = inner;
    this.#scopes = scopes;
  }

  async list(caller: Caller): Promise<RepositoryInfo[]> {
    const all = await this.#inner.list(caller);
    const scope = this.#scopes.of(caller);
    return scope ? all.filter(({ name }) => scope.has(name)) : all;
  }

  open(caller: Caller, name: string, asking?: Asking): Promise<Repository> {
    return this.#inner.open(caller, name, asking);
  }
}
