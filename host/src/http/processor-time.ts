import { SextantError } from '@sextant/core';
import type { Caller, ProcessorMeter } from '@sextant/core';
import type { HostSettings } from '../server/settings.ts';

type Limits = Pick<HostSettings['limits'], 'processorSecondsPerCaller' | 'tools'>;

const minuteMs = 60_000;

/** Processor time that callers had in this minute, over all generations. A new minute begins for all at once. */
export class ProcessorTime {
  /** Milliseconds by user, and by user and tool. */
  readonly #spent = new Map<string, number>();
  readonly #tell: (message: string) => void;
  #minute = 0;

  /** `tell` is told of each refusal. */
  constructor(tell: (message: string) => void) {
    this.#tell = tell;
  }

  /** Takes the time of a call. Throws `exhausted` when its caller had what is allowed for a minute. */
  meterOf({ user }: Caller, { processorSecondsPerCaller, tools }: Limits, tool?: string): ProcessorMeter {
    const [whole, own] = [String(user.id), tool === undefined ? undefined : `${user.id} ${tool}`];
    this.#require(whole, processorSecondsPerCaller, { user: user.name, what: 'processor time' });
    if (own !== undefined && tool !== undefined)
      this.#require(own, tools[tool]?.processorSecondsPerCaller, {
        user: user.name,
        what: `processor time for ${tool}`,
      });
    return {
      add: (milliseconds) => {
        this.#forget();
        for (const key of [whole, own])
          if (key !== undefined) this.#spent.set(key, (this.#spent.get(key) ?? 0) + milliseconds);
      },
    };
  }

  #require(key: string, most: number | undefined, { user, what }: { user: string; what: string }): void {
    this.#forget();
    const seconds = (this.#spent.get(key) ?? 0) / 1000;
    if (most === undefined || seconds < most) return;
    const had = `had ${seconds.toFixed(1)} s of ${what} in this minute, and may have ${most} s`;
    this.#tell(`the user ${user} ${had}`);
    const retryAfterSeconds = Math.ceil((minuteMs - (Date.now() % minuteMs)) / 1000);
    throw new SextantError('exhausted', `you ${had}; ask again in ${retryAfterSeconds} s, and for less at once`, {
      retryAfterSeconds,
    });
  }

  #forget(): void {
    const minute = Math.floor(Date.now() / minuteMs);
    if (minute !== this.#minute) this.#spent.clear();
    this.#minute = minute;
  }
}
