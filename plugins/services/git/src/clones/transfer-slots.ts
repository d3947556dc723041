import { Slots } from '../process/slots.ts';
import type { SlotKind } from '../process/slots.ts';

const longTransferMs = 60_000;

/**
 * Slots of transfers, whose other side may never end: one that takes long gives its slot to another and goes on beside. What failed
 * before leaves a slot to others.
 */
export class TransferSlots {
  /** Transfers in all, those included that take long. */
  readonly most: number;
  readonly #slots: Slots;
  readonly #long: Slots;
  readonly #longMs: number;

  constructor(count: number, longMs = longTransferMs) {
    this.most = 3 * count;
    this.#slots = new Slots(count);
    this.#long = new Slots(2 * count);
    this.#longMs = longMs;
  }

  async take(signal: AbortSignal, kind: SlotKind): Promise<() => void> {
    let release = await this.#slots.take(signal, kind);
    const ending = new AbortController();
    const goOnBeside = async (): Promise<void> => {
      const releaseLong = await this.#long.take(ending.signal, kind).catch(() => undefined);
      if (!releaseLong) return;
      release();
      release = releaseLong;
      // It may have ended while it was given the slot.
      if (ending.signal.aborted) release();
    };
    const timer = setTimeout(() => void goOnBeside(), this.#longMs).unref();
    return () => {
      clearTimeout(timer);
      ending.abort();
      release();
    };
  }
}
