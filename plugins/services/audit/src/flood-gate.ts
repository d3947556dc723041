import type { AuditEvent } from '@sextant/contracts';

export const windowMs = 60_000;
/** Failures of different kinds that one address may cause in a window, each written by itself. */
const perAddress = 100;
/** The same for all addresses together, and the number of addresses that are counted by themselves. */
const inAll = 1000;

interface Repeated {
  readonly event: AuditEvent;
  more: number;
}

/**
 * Keeps strangers from filling the disk with what they are refused: in a minute an event is let through once, and of
 * different failures so many; the rest is counted, and told in one event at the end. What people achieve always passes.
 */
export class FloodGate {
  readonly #seen = new Map<string, Repeated>();
  readonly #byAddress = new Map<string, number>();
  readonly #heldBack = new Map<string, number>();

  /** Whether to write the event. */
  admits(event: AuditEvent): boolean {
    if (event.outcome === 'success' && event.action !== 'token.issued') return true;
    const key = JSON.stringify(event);
    const known = this.#seen.get(key);
    if (known) known.more += 1;
    if (known) return false;
    const address = event.address ?? '';
    const count = this.#byAddress.get(address) ?? 0;
    if (count >= perAddress || this.#seen.size >= inAll) {
      this.#holdBack(address);
      return false;
    }
    this.#seen.set(key, { event, more: 0 });
    this.#byAddress.set(address, count + 1);
    return true;
  }

  /** Ends the window: what was counted in it, to be written. */
  end(): AuditEvent[] {
    const repeated = [...this.#seen.values()]
      .filter(({ more }) => more > 0)
      .map(({ event, more }) => ({ ...event, detail: `${more} more within a minute: ${event.detail ?? ''}` }));
    const heldBack = [...this.#heldBack].map(
      ([address, count]): AuditEvent => ({
        action: 'failures.counted',
        outcome: 'failure',
        ...(address !== '' && { address }),
        detail: `${count} more of different kinds within a minute`,
      }),
    );
    for (const map of [this.#seen, this.#byAddress, this.#heldBack]) map.clear();
    return [...repeated, ...heldBack];
  }

  #holdBack(address: string): void {
    const key = this.#heldBack.has(address) || this.#heldBack.size < inAll ? address : '';
    this.#heldBack.set(key, (this.#heldBack.get(key) ?? 0) + 1);
  }
}
