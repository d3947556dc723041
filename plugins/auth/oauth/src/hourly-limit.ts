import { networkOf } from '@sextant/contracts';

const hourMs = 3_600_000;
const addresses = 10_000;

/** How often each address did something in the last hour. Forgets the address that came first when there are too many. */
export class HourlyLimit {
  readonly #max: number;
  readonly #times = new Map<string, number[]>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Counts one; the seconds to wait when it is one too many. */
  waitOf(sender: string, now: number): number | undefined {
    const address = networkOf(sender);
    const recent = (this.#times.get(address) ?? []).filter((time) => time > now - hourMs);
    const [first] = recent;
    if (first !== undefined && recent.length >= this.#max) return Math.ceil((first + hourMs - now) / 1000);
    this.#times.delete(address);
    this.#times.set(address, [...recent, now]);
    const [oldest] = this.#times.keys();
    if (oldest !== undefined && this.#times.size > addresses) this.#times.delete(oldest);
    return undefined;
  }
}
