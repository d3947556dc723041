import { backoffMs, joinSignals, messageOf, timeoutSignal } from '@sextant/core';
import type { Logger } from '@sextant/core';
import type { UsageUser } from '@sextant/contracts';
import type { ToolActivity } from '../recording/tool-activities.ts';
import { toLine } from './lines.ts';
import type { Outbox } from './outbox.ts';

const requestMs = 60_000;
const longestWaitMs = 10 * 60_000;

export interface PusherOptions {
  /** Of the other instance. */
  url: string;
  token: string;
  /** Of this one. */
  externalURL: string;
  outbox: Pick<Outbox, 'next' | 'sent'>;
  /** Brings the sums up to date. */
  settle(): Promise<void>;
  people(): Promise<UsageUser[]>;
  tools(): Promise<ToolActivity[]>;
  /** Does it unless another host does: sums that two hosts send could arrive in the wrong order. */
  alone(push: () => Promise<void>): Promise<unknown>;
  log: Logger;
  /** How long it waits when everything was sent; after a failure twice as long each time, up to ten minutes. */
  intervalMs: number;
}

/** Sends what this instance recorded to another one, until it is closed. */
export class Pusher {
  readonly #options: PusherOptions;
  readonly #closing = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #pushing: Promise<void> | undefined;
  #failures = 0;
  /** The users and tools as they were sent last. */
  #named = '';

  constructor(options: PusherOptions) {
    this.#options = options;
  }

  begin(): void {
    this.#pushing = this.#push().finally(() => {
      if (this.#closing.signal.aborted) return;
      const { intervalMs } = this.#options;
      const limits = { firstMs: intervalMs, longestMs: Math.max(longestWaitMs, intervalMs) };
      this.#timer = setTimeout(() => this.begin(), backoffMs(this.#failures + 1, limits));
      this.#timer.unref();
    });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    await this.#pushing;
  }

  async #push(): Promise<void> {
    const { outbox, log, url, settle, alone } = this.#options;
    try {
      await alone(async () => {
        await settle();
        await this.#sendNamed();
        for (let parcel = await outbox.next(); parcel; parcel = await outbox.next()) {
          await this.#send(parcel.sums.map(toLine));
          await outbox.sent(parcel);
        }
      });
      this.#failures = 0;
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      this.#failures += 1;
      log.warn({ url, failures: this.#failures }, `usage could not be sent, it is tried again: ${messageOf(error)}`);
    }
  }

  async #sendNamed(): Promise<void> {
    const users = (await this.#options.people()).map((user) => JSON.stringify({ user }));
    const tools = (await this.#options.tools()).map((tool) => JSON.stringify({ tool }));
    const lines = [...users, ...tools];
    if (lines.join('\n') === this.#named) return;
    await this.#send(lines);
    this.#named = lines.join('\n');
  }

  async #send(lines: readonly string[]): Promise<void> {
    const { url, token, externalURL } = this.#options;
    const response = await fetch(`${url}/api/ingest?${new URLSearchParams({ instanceURL: externalURL })}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
      body: lines.join('\n'),
      // The token is for that server alone.
      redirect: 'error',
      signal: joinSignals(this.#closing.signal, timeoutSignal(requestMs)),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`it answered ${response.status}: ${text.slice(0, 500)}`);
  }
}
