import { backoffMs, messageOf } from '@sextant/core';
import type { Logger } from '@sextant/core';
import { serverOf } from './remote-url.ts';
import { causeOf, isOfHost, isRefusal } from './transfer-failure.ts';

/** Different repositories that must fail in a row: one that is broken at its host is no reason to leave the others alone. */
const leastRepositories = 3;
const usualPauses = { firstMs: 5000, longestMs: 600_000 };
/** Share of a pause within which those that waited for its end come back. */
const spread = 0.2;

/** Nothing was asked: the host does not answer. */
export class HostPaused extends Error {
  override readonly name = 'HostPaused';
  /** Why the host does not answer, as anyone may know who may read the repository. */
  readonly reason: string;
  /** Milliseconds from now after which it may be asked again. */
  readonly waitMs: number;

  constructor(host: string, reason: string, waitMs: number) {
    super(`${host} does not answer, and is asked once for all that wait for it: ${reason}`);
    this.reason = reason;
    this.waitMs = waitMs;
  }
}

interface HostState {
  /** Repositories that failed since it last answered. */
  readonly failed: Set<string>;
  pauses: number;
  /** Milliseconds since 1970. */
  until: number;
  reason: string;
  isProbed: boolean;
}

interface Asking {
  /** The repository. */
  readonly name: string;
  readonly host: string;
  /** One host may answer over https and not over ssh. */
  readonly key: string;
}

/** Hosts that do not answer: the repositories of one wait together, and one of them tries. */
export class HostPauses {
  readonly #log: Logger;
  readonly #pauses: typeof usualPauses;
  readonly #hosts = new Map<string, HostState>();

  constructor(log: Logger, pauses = usualPauses) {
    this.#log = log;
    this.#pauses = pauses;
  }

  /**
   * Does work with the host of a URL, which says when the host has answered: what comes then may take long, and how it ends is of that
   * repository. Throws `HostPaused` while another finds out whether the host answers again.
   */
  async ask(
    { name, url }: { name: string; url: string },
    work: (onAnswer: () => void) => Promise<void>,
  ): Promise<void> {
    const server = serverOf(url);
    if (server === undefined) return work(() => undefined);
    const asking = { name, host: server.host, key: `${server.protocol}//${server.host}` };
    const isProbe = this.#enter(asking);
    let hasAnswered = false;
    const onAnswer = (): void => {
      hasAnswered = true;
      this.#noteAnswer(asking);
    };
    try {
      await work(onAnswer);
    } catch (error) {
      if (hasAnswered) throw error;
      const said = messageOf(error instanceof Error && error.cause !== undefined ? error.cause : error);
      if (isOfHost(said)) this.#noteFailure(asking, { said, isProbe });
      else if (isRefusal(said)) this.#noteAnswer(asking);
      else if (isProbe) this.#leave(asking);
      throw error;
    }
    if (!hasAnswered) this.#noteAnswer(asking);
  }

  /** Answers whether it is the one that tries. */
  #enter({ name, host, key }: Asking): boolean {
    const state = this.#hosts.get(key);
    if (!state || state.pauses === 0) return false;
    const left = state.until - Date.now();
    if (left > 0 || state.isProbed) {
      const { firstMs } = this.#pauses;
      const wait = left > 0 ? left : firstMs;
      // Who failed comes after all others: it may be what is broken.
      const waitMs = state.failed.has(name) ? (1 + spread) * wait + firstMs : (1 + spread * Math.random()) * wait;
      throw new HostPaused(host, state.reason, waitMs);
    }
    state.isProbed = true;
    return true;
  }

  #leave({ key }: Asking): void {
    const state = this.#hosts.get(key);
    if (state) state.isProbed = false;
  }

  #noteFailure({ name, host, key }: Asking, { said, isProbe }: { said: string; isProbe: boolean }): void {
    const fresh = { failed: new Set<string>(), pauses: 0, until: 0, reason: '', isProbed: false };
    const state = this.#hosts.get(key) ?? fresh;
    this.#hosts.set(key, state);
    state.failed.add(name);
    if (isProbe) state.isProbed = false;
    // What was under way when the pause began says nothing new.
    if (state.failed.size < leastRepositories || (state.pauses > 0 && !isProbe)) return;
    state.pauses += 1;
    const ms = backoffMs(state.pauses, this.#pauses);
    state.until = Date.now() + ms;
    state.reason = causeOf(said) ?? '';
    if (state.pauses > 1) return;
    const fields = { host, seconds: ms / 1000, reason: state.reason };
    this.#log.warn(fields, 'a host does not answer: its repositories wait, and one of them tries');
  }

  #noteAnswer({ host, key }: Asking): void {
    if ((this.#hosts.get(key)?.pauses ?? 0) > 0) this.#log.info({ host }, 'a host answers again');
    this.#hosts.delete(key);
  }
}
