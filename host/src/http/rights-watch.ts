import { SextantError, messageOf } from '@sextant/core';
import type { Caller } from '@sextant/core';
import type { H3Event } from 'h3';
import { isRecord } from '../mcp/messages/json-rpc.ts';
import type { Generation } from '../server/generation.ts';
import type { ListenerState } from './listening/listener-state.ts';
import { authenticate, whenClosed } from './request-context.ts';
import type { AcceptedCredentials } from './request-context.ts';

/** Milliseconds. An answer that took less could as well have been sent before the rights were taken. */
const soonMs = 250;
/** How often the rights behind a request that is being answered are looked at. */
const lookMs = 1000;

export interface WatchedRequest {
  readonly event: H3Event;
  /** Which answers it. */
  readonly generation: Generation;
  readonly state: ListenerState;
  /** As they were when the request came. */
  readonly caller: Caller;
  readonly accepted: AcceptedCredentials;
}

/**
 * Watches the rights of a caller while a request of theirs is being answered. What took rights away may be another
 * configuration, a command or a page: the credentials are checked again by the configuration that is in force.
 */
export class RightsWatch {
  readonly #request: WatchedRequest;
  readonly #startedAt = performance.now();
  readonly #lost = new AbortController();

  constructor(request: WatchedRequest) {
    this.#request = request;
    const timer = setInterval(() => void this.#look(), lookMs).unref();
    whenClosed(request.event, () => clearInterval(timer));
  }

  /** Aborts within a second after the caller lost rights. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** To be called before an answer leaves. Throws `forbidden` if the caller may do less by now. */
  async require(): Promise<void> {
    if (performance.now() - this.#startedAt >= soonMs && !(await this.#hasAll()))
      throw new SextantError('forbidden', 'what you may do changed while this was being answered; ask again');
  }

  async #look(): Promise<void> {
    try {
      if (!(await this.#hasAll())) this.#lost.abort();
    } catch (error) {
      // Before the answer leaves they are checked again.
      this.#request.state.log.warn({}, `the rights of a caller cannot be looked at: ${messageOf(error)}`);
    }
  }

  async #hasAll(): Promise<boolean> {
    const { event, generation, state, caller, accepted } = this.#request;
    const { current } = state.serving;
    if (current !== generation && !servesAll(current, generation)) return false;
    const release = current.hold();
    const now = await authenticate(event, current, accepted).finally(release);
    return now !== undefined && includes(now, caller);
  }
}

const includes = (now: Caller, before: Caller): boolean =>
  (now.user.isSiteAdmin || !before.user.isSiteAdmin) &&
  (['roles', 'permissions', 'scopes'] as const).every((kind) =>
    [...before[kind]].every((right) => now[kind].has(right)),
  );

/** Whether what was served still is, to the same people. */
function servesAll(now: Generation, before: Generation): boolean {
  const left = servedBy(now);
  return [...servedBy(before)].every((entry) => left.has(entry));
}

function servedBy({ printable }: Generation): ReadonlySet<string> {
  const { repositories } = printable();
  const entries = Array.isArray(repositories) ? repositories.filter(isRecord) : [];
  return new Set(entries.map(({ path, url, name, access }) => JSON.stringify([path, url, name, access])));
}
