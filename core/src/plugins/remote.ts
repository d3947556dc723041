import type { Token } from './token.ts';

/**
 * How a plugin in a process of its own may use a member of a service. `caller`: a method whose first argument is the
 * caller, which the host fills in. `call`: one that takes the whole call. `data`: a property, copied at each call.
 * `gives`: the members of the object that the method resolves to, where that is not plain data.
 */
export type RemoteMember =
  | 'data'
  | 'caller'
  | 'call'
  | { readonly by: 'caller' | 'call'; readonly gives: readonly string[] };

/** The members of a service that cross the border of a process. All others stay in the server. */
export type Remote = Readonly<Record<string, RemoteMember>>;

/** The same with the members of the service checked. */
export type RemoteOf<T> = { readonly [K in keyof T & string]?: RemoteMember };

const described = new WeakMap<object, Remote>();

/** Notes how a service that is provided may be used from another process; what its provider's token says counts. */
export function noteRemote({ remote }: Token<unknown>, value: unknown): void {
  if (remote && typeof value === 'object' && value !== null) described.set(value, remote);
}

/** How a service may be used from another process; undefined where it may not. */
export const remoteOf = (value: unknown): Remote | undefined =>
  typeof value === 'object' && value !== null ? described.get(value) : undefined;
