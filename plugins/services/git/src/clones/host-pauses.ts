import { backoffMs, messageOf } from '@sextant/core';
import type { Logger } from '@sextant/core';
import { hostOf } from './remote-url.ts';
import { causeOf, isOfHost } from './transfer-failure.ts';

/** Different repositories that must fail in a row: one that is broken at its host is no reason to leave the others alone. */
const leastRepositories = 3;
const usualPauses = { firstMs: 5000, longestMs: 600_000 };
/** Share of a pause within which those that waited for its end come back. */
const spread = 0.2;

/** Nothing was asked: the host does not answer. */
export class HostPaused extends Error {
  override readonly name = 'HostPaused';
  /** Milliseconds from now after which it may be asked again. */
  readonly waitMs: number;

  constructor(host: string, reason: string, waitMs: number) {
    super(`${host} does not answer, and is asked once for all that wait for it: ${reason}`);
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

/** Hosts that do not answer: the repositories of one wait together, and one of them tries. */
export class HostPauses {
  readonly #log: Logger;
  readonly #pauses: typeof usualPauses;
  readonly #hosts = new Map<string, HostState>();

  constructor(log: Logger, pauses = usualPauses) {
    this.#log = log;
    this.#pauses = pauses;
  }

  /** Does work with the host of a URL. Throws `HostPaused` while another finds out whether it answers again. */
  async ask({ name, url }: { name: string; url: string }, work: () => Promise<void>): Promise<void> {
    const host = hostOf(url);
    if (host === undefined) return work();
    const isProbe = this.#enter(host);
    try {
      await work();
    } catch (error) {
      const said = messageOf(error instanceof Error && error.cause !== undefined ? error.cause : error);
      if (isOfHost(said)) this.#noteFailure(host, { name, said, isProbe });
      else if (isProbe) this.#leave(host);
      throw error;
    }
    this.#noteAnswer(host);
  }

  /** Answers whether it is the one that tries. */
  #enter(host: string): boolean {
    const state = this.#hosts.get(host);
    if (!state || state.pauses === 0) return false;
    const left = state.until - Date.now();
    if (left > 0 || state.isProbed) {
      const wait = Math.max(left, this.#pauses.firstMs);
      throw new HostPaused(host, state.reason, (left > 0 ? left : wait) * (1 + spread * Math.random()));
    }
    state.isProbed = true;
    return true;
  }

  #leave(host: string): void {
    const state = this.#hosts.get(host);
    if (state) state.isProbed = false;
  }

  #noteFailure(host: string, { name, said, isProbe }: { name: string; said: string; isProbe: boolean }): void {
    const fresh = { failed: new Set<string>(), pauses: 0, until: 0, reason: '', isProbed: false };
    const state = this.#hosts.get(host) ?? fresh;
    this.#hosts.set(host, state);
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

  #noteAnswer(host: string): void {
    if ((this.#hosts.get(host)?.pauses ?? 0) > 0) this.#log.info({ host }, 'a host answers again');
    this.#hosts.delete(host);
  }
}
