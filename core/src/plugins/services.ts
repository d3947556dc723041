import 'reflect-metadata';
import { container } from 'tsyringe';
import type { DependencyContainer } from 'tsyringe';
import type { Contribution } from '../surface/contribution.ts';
import { noteRemote } from './remote.ts';
import type { Needs, Resolved, Token } from './token.ts';

/** The services that have started, by token, and what plugins contributed. The only file that knows the injection library. */
export class Services {
  readonly #container: DependencyContainer = container.createChildContainer();
  readonly #contributions: readonly Contribution[];

  constructor(contributions: readonly Contribution[] = []) {
    this.#contributions = contributions;
  }

  /** Throws when the token is provided already. */
  provide<T>(token: Token<T>, value: T): void {
    if (this.has(token)) throw new Error(`the service "${token.name}" is provided twice`);
    noteRemote(token, value);
    this.#container.register<T>(token.name, { useValue: value });
  }

  /** Puts another value in the place of one that is provided. */
  replace(token: Token<unknown>, value: unknown): void {
    noteRemote(token, value);
    // Of several the container gives the last.
    this.#container.register(token.name, { useValue: value });
  }

  has(token: Token<unknown>): boolean {
    return this.#container.isRegistered(token.name);
  }

  /** Exactly the services behind `needs`, under the same keys. Throws when one is not there. */
  resolve<N extends Needs>(needs: N): Resolved<N> {
    const entries = Object.entries(needs).map(([key, token]) => [key, this.#find(token)]);
    // The container is untyped; the token carries the type.
    return Object.freeze(Object.fromEntries(entries)) as Resolved<N>;
  }

  #find(token: Token<unknown>): unknown {
    if (token.isCollected) return this.#contributed(token.name);
    if (token.isOptional && !this.has(token)) return undefined;
    if (!this.has(token)) throw new Error(`no service "${token.name}" has started`);
    return this.#container.resolve(token.name);
  }

  #contributed(name: string): readonly unknown[] {
    return Object.freeze(this.#contributions.filter(({ point }) => point === name).map(({ value }) => value));
  }
}
