import { randomUUID } from 'node:crypto';
import { SextantError } from '@sextant/core';
import type { Caller } from '@sextant/core';
import type { H3Event } from 'h3';
import type { Generation } from '../server/generation.ts';
import type { ListenerState } from './listening/listener-state.ts';
import { isOfOwnPage } from './origin.ts';

const key = 'sextantRequestId';

/** Gives a request an id of its own: what a client sends would let it write into the log. */
export function assignRequestId({ context }: H3Event): string {
  const id = randomUUID();
  context[key] = id;
  return id;
}

export const requestIdOf = ({ context }: H3Event): string => String(context[key]);

/** Where a request comes from; undefined where there is no connection. */
export const remoteAddressOf = (event: H3Event, { trustedProxies }: Generation): string | undefined =>
  trustedProxies.addressOf(event.runtime?.node?.req.socket.remoteAddress, event.req.headers.get('x-forwarded-for'));

/** Whether a browser shows the answer to a person; errors of the API are JSON for them, too. */
export const isForPeople = ({ req, url }: H3Event): boolean =>
  (req.headers.get('accept') ?? '').includes('text/html') && !/^\/\.?api\//.test(url.pathname);

const callers = new WeakMap<H3Event, Caller>();

/** Who sent a request, as far as that is known by now. */
export const callerBehind = (event: H3Event): Caller | undefined => callers.get(event);

/** Whether what browsers send by themselves may say who one is; for MCP it never does. */
export type AcceptedCredentials = 'explicit' | 'ambient too';

/** Asks the authenticators in turn who sent a request; undefined when none knows the credentials. */
export async function authenticate(
  event: H3Event,
  generation: Generation,
  accepted: AcceptedCredentials,
): Promise<Caller | undefined> {
  const remoteAddress = remoteAddressOf(event, generation);
  const credentials = {
    headers: event.req.headers,
    path: event.url.pathname,
    ...(remoteAddress !== undefined && { remoteAddress }),
  };
  const acceptsAmbient =
    accepted === 'ambient too' && (isSafe(event.req) || isOfOwnPage(event.req.headers, generation.externalURL));
  for (const authenticator of generation.assembly.plugins.flatMap(({ authenticators }) => authenticators)) {
    if (authenticator.isAmbient && !acceptsAmbient) continue;
    const caller = await authenticator.authenticate(credentials, generation.servicesOf(authenticator));
    if (!caller) continue;
    callers.set(event, caller);
    return caller;
  }
  return undefined;
}

const isSafe = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

/** The caller of a request. Throws `unauthenticated`. */
export async function requireCaller(
  event: H3Event,
  generation: Generation,
  accepted: AcceptedCredentials,
): Promise<Caller> {
  const caller = await authenticate(event, generation, accepted);
  if (!caller) throw unauthenticated();
  return caller;
}

export const unauthenticated = (): SextantError =>
  new SextantError('unauthenticated', 'this needs an access token: send Authorization: Bearer <token>');

/** Does something once the answer is completely sent, or the client has gone before that. */
export function whenClosed({ runtime }: H3Event, done: (isComplete: boolean) => void): void {
  const response = runtime?.node?.res;
  if (!response) return;
  const finish = (): void => done(response.writableFinished);
  // While the caller was being authenticated the client may have gone, and an event is not repeated.
  if (response.closed) finish();
  else response.once('close', finish);
}

/** Counts a call until its answer is completely sent. Throws `exhausted`, and `unavailable` when the server stops. */
export function enterCall(event: H3Event, caller: Caller, state: ListenerState): void {
  if (state.isDraining)
    throw new SextantError('unavailable', 'the server is stopping; try again in a moment', { retryAfterSeconds: 1 });
  const { settings, hosts } = state.serving.current;
  // A caller whose calls a balancer spreads has the same limit over all hosts.
  const callsPerCaller = Math.ceil(settings.limits.callsPerCaller / (hosts?.living ?? 1));
  whenClosed(event, state.inFlight.enter(caller, { ...settings.limits, callsPerCaller }));
}
