import { SextantError } from '@sextant/core';
import type { Caller } from '@sextant/core';
import type { HostSettings } from '../server/settings.ts';

type ToolLimits = HostSettings['limits']['tools'][string];

/** Calls of tools that have limits of their own, over all generations. */
export class ToolCalls {
  readonly #counts = new Map<string, number>();
  readonly #tell: (message: string) => void;

  /** `tell` is told of each refusal. */
  constructor(tell: (message: string) => void) {
    this.#tell = tell;
  }

  /** Counts a call until the returned function is called. Throws `exhausted` when there are too many. */
  enter(tool: string, { user }: Caller, limits: ToolLimits | undefined): () => void {
    const [whole, own] = [tool, `${tool} ${user.id}`];
    const { callsPerCaller = Infinity, callsPerServer = Infinity } = limits ?? {};
    if (this.#countOf(own) >= callsPerCaller)
      throw this.#refusal(`you have ${callsPerCaller} calls of ${tool} in flight, the most that one user may have`);
    if (this.#countOf(whole) >= callsPerServer)
      throw this.#refusal(`the server has ${callsPerServer} calls of ${tool} in flight, its most`);
    for (const key of [whole, own]) this.#counts.set(key, this.#countOf(key) + 1);
    return () => {
      for (const key of [whole, own])
        if (this.#countOf(key) > 1) this.#counts.set(key, this.#countOf(key) - 1);
        else this.#counts.delete(key);
    };
  }

  #countOf(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  #refusal(message: string): SextantError {
    this.#tell(message);
    return new SextantError('exhausted', `${message}; wait for one to end`, { retryAfterSeconds: 1 });
  }
}
