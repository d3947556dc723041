import { networkOf } from '@sextant/contracts';
import { SextantError } from '@sextant/core';

const windowMs = 60_000;
const maxKeys = 50_000;

/** So many failures in a minute, and no attempt more. */
const limits = { pair: 10, account: 100, address: 100 } as const;

interface Count {
  failures: number;
  readonly endsAt: number;
}

/** Who tries to sign in. */
export interface Attempt {
  /** In the spelling that the directory takes for the same. */
  account: string;
  address: string;
}

/**
 * Slows guessing: ten failures a minute for an account from one address, and looser bounds for an account from anywhere
 * (many machines, one victim) and an address to anyone (one password, many victims).
 */
export class Throttle {
  readonly #counts = new Map<string, Count>();

  /** Counts an attempt as failed until `succeeded` is told. Throws `exhausted`. */
  attempt(attempt: Attempt): void {
    const now = Date.now();
    const keys = keysOf(attempt);
    for (const [key, limit] of keys) {
      const { failures, endsAt } = this.#countOf(key, now);
      if (failures >= limit)
        throw new SextantError('exhausted', 'Too many attempts. Wait a minute and try again.', {
          retryAfterSeconds: Math.ceil((endsAt - now) / 1000),
        });
    }
    for (const [key] of keys) this.#add(key, now);
  }

  succeeded(attempt: Attempt): void {
    for (const [key] of keysOf(attempt)) {
      const count = this.#counts.get(key);
      if (count) count.failures -= 1;
    }
  }

  #countOf(key: string, now: number): Count {
    const count = this.#counts.get(key);
    return count && count.endsAt > now ? count : { failures: 0, endsAt: now + windowMs };
  }

  #add(key: string, now: number): void {
    const count = this.#countOf(key, now);
    // Anew at the end of the map, which stays in the order of the last failures: the oldest goes first.
    this.#counts.delete(key);
    this.#counts.set(key, { ...count, failures: count.failures + 1 });
    const [oldest] = this.#counts.keys();
    if (oldest !== undefined && this.#counts.size > maxKeys) this.#counts.delete(oldest);
  }
}

function keysOf({ account, address }: Attempt): [key: string, limit: number][] {
  const network = networkOf(address);
  return [
    [`pair ${account} ${network}`, limits.pair],
    [`account ${account}`, limits.account],
    [`address ${network}`, limits.address],
  ];
}
