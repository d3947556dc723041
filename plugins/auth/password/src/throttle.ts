import type { CounterLimit, Counters } from '@sextant/contracts';
import { SextantError, networkOf } from '@sextant/core';

const minuteMs = 60_000;
const monthMs = 30 * 24 * 60 * minuteMs;

/** So many failures in a minute, and no attempt more. */
const limits = { pair: 10, account: 100, address: 100 } as const;

/** Who tries to sign in. */
export interface Attempt {
  /** In the spelling that the directory takes for the same. */
  account: string;
  address: string;
}

/**
 * Slows guessing, in all processes together: ten failures a minute for an account from one address, and looser bounds for
 * an account from anywhere (many machines, one victim) and an address to anyone (one password, many victims). Where a
 * person has signed in within a month, guesses from elsewhere do not keep them out.
 */
export class Throttle {
  readonly #counters: Counters;

  constructor(counters: Counters) {
    this.#counters = counters;
  }

  /** Counts an attempt as failed until `succeeded` or `giveBack` is told. Throws `exhausted`. */
  async attempt(attempt: Attempt): Promise<void> {
    const wait = await this.#counters.take(await this.#limitsOf(attempt));
    if (wait !== undefined)
      throw new SextantError('exhausted', 'Too many attempts. Wait a minute and try again.', {
        retryAfterSeconds: wait,
      });
  }

  async succeeded(attempt: Attempt): Promise<void> {
    await this.giveBack(attempt);
    await this.#counters.take([known(attempt)]);
  }

  /** Forgets an attempt that did not fail: it succeeded, or its password was not checked. */
  async giveBack(attempt: Attempt): Promise<void> {
    await this.#counters.giveBack(await this.#limitsOf(attempt));
  }

  async #limitsOf(attempt: Attempt): Promise<CounterLimit[]> {
    const { account, address } = attempt;
    const network = networkOf(address);
    const isKnown = await this.#counters.isCounted(known(attempt));
    return [
      { key: `pair ${account} ${network}`, max: limits.pair, windowMs: minuteMs },
      ...(isKnown ? [] : [{ key: `account ${account}`, max: limits.account, windowMs: minuteMs }]),
      { key: `address ${network}`, max: limits.address, windowMs: minuteMs },
    ];
  }
}

/** Not a limit: the sign-ins that succeeded. */
const known = ({ account, address }: Attempt): CounterLimit => ({
  key: `known ${account} ${networkOf(address)}`,
  max: Number.MAX_SAFE_INTEGER,
  windowMs: monthMs,
});
