import type { Remote, RemoteOf } from './remote.ts';

declare const provided: unique symbol;

/**
 * Names a service and carries its type. Two tokens of the same name are the same token, so that a plugin with its
 * own copy of a contract still finds the service.
 */
export interface Token<T> {
  readonly name: string;
  /** Only services may need it: what it gives knows no caller, so that whoever needs it must check permissions itself. */
  readonly isForServices?: boolean;
  /** What of it plugins in a process of their own may use; absent: nothing. */
  readonly remote?: Remote;
  /** Set by `optional`. */
  readonly isOptional?: boolean;
  /** Set by `all`: the name is that of a point, to which any number of plugins may contribute. */
  readonly isCollected?: boolean;
  /** Set by `thisPlugin`: it stands for the plugin itself. */
  readonly isOwn?: boolean;
  readonly [provided]?: T;
}

/** What a plugin, tool or command asks for: `{ history: History }` arrives as an argument of the same shape. */
export type Needs = Readonly<Record<string, Token<unknown>>>;

/** The services behind `Needs`, under the same keys. */
export type Resolved<N extends Needs> = {
  readonly [K in keyof N]: N[K] extends Token<infer T> ? T : never;
};

/** Makes a token; `name` is the interface's name in kebab-case and unique among all contracts. */
export const token = <T>(
  name: string,
  options: { isForServices?: boolean; remote?: RemoteOf<NoInfer<T>> } = {},
): Token<T> =>
  // A checked description is one of any members.
  Object.freeze({ name, ...options }) as Token<T>;

/** The same service where a plugin provides it, and undefined where none does: for those who can do without. */
export const optional = <T>(needed: Token<T>): Token<T | undefined> => Object.freeze({ ...needed, isOptional: true });
