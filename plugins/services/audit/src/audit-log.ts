import type { Audit, AuditEvent, AuditFilter, AuditPage } from '@sextant/contracts';
import { messageOf } from '@sextant/core';
import type { Logger, Refusal, RefusalRecorder } from '@sextant/core';
import type { EventStore, TimedEvent } from './event-store.ts';
import { FloodGate, windowMs } from './flood-gate.ts';

/** Events wait this long for others, so that a burst is one write; below the second that the contract grants. */
const gatherMs = 250;
/** Events that wait while the database cannot be written. */
const mostWaiting = 10_000;

/** Records events without anyone waiting for the disk. */
export class AuditLog implements Audit, RefusalRecorder {
  readonly #store: Pick<EventStore, 'add' | 'list'>;
  readonly #log: Logger;
  #waiting: TimedEvent[] = [];
  #timer: NodeJS.Timeout | undefined;
  readonly #gate = new FloodGate();
  #window: NodeJS.Timeout | undefined;
  #writing = Promise.resolve();

  constructor(store: Pick<EventStore, 'add' | 'list'>, log: Logger) {
    this.#store = store;
    this.#log = log;
  }

  record(event: AuditEvent): void {
    this.#window ??= setTimeout(() => this.#endWindow(), windowMs).unref();
    if (this.#gate.admits(event)) this.#add(event);
  }

  refused({ code, message, path, caller, remoteAddress, clientName }: Refusal): void {
    this.record({
      action: 'call.refused',
      outcome: 'failure',
      target: path,
      detail: `${code}: ${message}`,
      ...(caller && { actor: { id: caller.user.id, name: caller.user.name } }),
      ...(remoteAddress !== undefined && { address: remoteAddress }),
      ...(clientName !== undefined && { client: clientName }),
    });
  }

  #add(event: AuditEvent): void {
    if (this.#waiting.length >= mostWaiting)
      return this.#log.error({ action: event.action }, 'an audit event was lost');
    this.#waiting.push({ time: Date.now(), event });
    this.#timer ??= setTimeout(() => void this.#write(), gatherMs);
  }

  async list(filter: AuditFilter): Promise<AuditPage> {
    await this.#write();
    return this.#store.list(filter);
  }

  close(): Promise<void> {
    this.#endWindow();
    return this.#write();
  }

  #endWindow(): void {
    clearTimeout(this.#window);
    this.#window = undefined;
    for (const event of this.#gate.end()) this.#add(event);
  }

  /** One write after the other, so that ids are in the order of the events. */
  #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#writeWaiting());
    return this.#writing;
  }

  async #writeWaiting(): Promise<void> {
    const events = this.#waiting;
    if (events.length === 0) return;
    this.#waiting = [];
    try {
      await this.#store.add(events);
    } catch (error) {
      this.#log.error({ events: events.length }, `audit events were not written and wait: ${messageOf(error)}`);
      // Tried again with the next event.
      this.#waiting = [...events, ...this.#waiting];
    }
  }
}
