import { setImmediate } from 'node:timers/promises';
import { messageOf } from '@sextant/core';
import type { CallRecord, CallRecorder, Logger } from '@sextant/core';

/**
 * Most records of one transaction, which calls have to wait for. The more there are the more of them add to the same sum,
 * which is written once. So many wait only when the database could not be written for a while.
 */
const batchSize = 20_000;

/** What writes what was recorded. */
export interface RecordSink {
  /** All of them or none. */
  write(records: readonly CallRecord[]): Promise<void>;
}

export interface RecorderOptions {
  sink: RecordSink;
  log: Logger;
  /** How long an event waits at most; below a second, which is what a crash may lose. */
  intervalMs?: number;
  /** How many events may wait while the database cannot be written; more are lost, and logged. */
  maxWaiting?: number;
}

/** Keeps what was recorded in memory for a moment and writes it beside the calls: no call ever waits. */
export class Recorder implements CallRecorder {
  readonly #sink: RecordSink;
  readonly #log: Logger;
  readonly #maxWaiting: number;
  readonly #timer: NodeJS.Timeout;
  #waiting: CallRecord[] = [];
  #lost = 0;
  /** Why nothing could be written the last time. */
  #failure: string | undefined;
  #writing: Promise<void> | undefined;

  constructor({ sink, log, intervalMs = 500, maxWaiting = 100_000 }: RecorderOptions) {
    this.#sink = sink;
    this.#log = log;
    this.#maxWaiting = maxWaiting;
    this.#timer = setInterval(() => void this.flush(), intervalMs).unref();
  }

  record(record: CallRecord): void {
    if (this.#waiting.length < this.#maxWaiting) this.#waiting.push(record);
    else this.#lost += 1;
  }

  /** Writes what waits; asked again while it writes, waits for the same end. */
  flush(): Promise<void> {
    this.#writing ??= this.#write().finally(() => (this.#writing = undefined));
    return this.#writing;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#writing;
    await this.flush();
  }

  async #write(): Promise<void> {
    if (this.#waiting.length === 0) return;
    const records = this.#waiting;
    this.#waiting = [];
    let written = 0;
    try {
      for (; written < records.length; written += batchSize) {
        if (written > 0) await setImmediate();
        await this.#sink.write(records.slice(written, written + batchSize));
      }
      this.#failure = undefined;
    } catch (error) {
      this.#waiting = [...records.slice(written), ...this.#waiting];
      this.#tell(messageOf(error));
    }
    if (this.#lost > 0)
      this.#log.error({ lost: this.#lost }, 'usage of calls was lost: it could not be written for too long');
    this.#lost = 0;
  }

  /** Once for each reason: what is tried twice a second would fill the log of a full disk. */
  #tell(failure: string): void {
    if (failure === this.#failure) return;
    this.#failure = failure;
    this.#log.error({ waiting: this.#waiting.length }, `usage cannot be written, it is tried again: ${failure}`);
  }
}
