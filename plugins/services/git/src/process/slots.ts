/** The order of waiting work: what a call waits for, new work, work that had its turn and goes on, and work that failed before. */
const kinds = ['awaited', 'new', 'continued', 'failed'] as const;
export type SlotKind = (typeof kinds)[number];

/** Lets so many run at once; the others wait in the order of their kinds, and in that in which they came. */
export class Slots {
  readonly #count: number;
  readonly #held: Record<SlotKind, number> = { awaited: 0, new: 0, continued: 0, failed: 0 };
  readonly #waiting: Readonly<Record<SlotKind, Set<() => void>>> = {
    awaited: new Set(),
    new: new Set(),
    continued: new Set(),
    failed: new Set(),
  };

  constructor(count: number) {
    this.#count = count;
  }

  /** Waits for a slot; answers the function that gives it back. Throws the signal's reason when that aborts first. */
  async take(signal: AbortSignal, kind: SlotKind = 'new'): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#mayTake(kind)) this.#held[kind] += 1;
    else await this.#wait(signal, kind);
    let isHeld = true;
    return () => {
      if (isHeld) this.#release(kind);
      isHeld = false;
    };
  }

  /** Whether one waits that failed no more often than that of this kind. */
  isWanted(kind: SlotKind): boolean {
    return kinds.some((each) => this.#waiting[each].size > 0 && (each !== 'failed' || kind === 'failed'));
  }

  /** Work that failed before leaves one slot to others, if there is more than one. */
  #mayTake(kind: SlotKind): boolean {
    const held = kinds.reduce((sum, each) => sum + this.#held[each], 0);
    return held < this.#count && (kind !== 'failed' || this.#held.failed < Math.max(1, this.#count - 1));
  }

  #wait(signal: AbortSignal, kind: SlotKind): Promise<void> {
    const waiting = this.#waiting[kind];
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        waiting.delete(enter);
        reject(signal.reason);
      };
      const enter = (): void => {
        signal.removeEventListener('abort', abort);
        resolve();
      };
      signal.addEventListener('abort', abort, { once: true });
      waiting.add(enter);
    });
  }

  #release(kind: SlotKind): void {
    this.#held[kind] -= 1;
    for (const each of kinds) this.#letIn(each);
  }

  #letIn(kind: SlotKind): void {
    for (const enter of this.#waiting[kind]) {
      if (!this.#mayTake(kind)) return;
      this.#waiting[kind].delete(enter);
      this.#held[kind] += 1;
      enter();
    }
  }
}

/** After so long a command lets others have its slot, and goes on when they had as long. */
const turnMs = 500;

interface Beginning {
  readonly slots: Slots;
  readonly signal: AbortSignal;
  readonly kind: SlotKind;
}

/** The slot of one command, which has it in turn with others. */
export class SlotTurn {
  readonly #slots: Slots;
  readonly #signal: AbortSignal;
  #kind: SlotKind;
  #release: () => void;
  #since = performance.now();

  private constructor({ slots, signal, kind, release }: Beginning & { release: () => void }) {
    [this.#slots, this.#signal, this.#kind, this.#release] = [slots, signal, kind, release];
  }

  static async begin(beginning: Beginning): Promise<SlotTurn> {
    const { slots, signal, kind } = beginning;
    return new SlotTurn({ ...beginning, release: await slots.take(signal, kind) });
  }

  get isOver(): boolean {
    return performance.now() - this.#since > turnMs && this.#slots.isWanted(this.#kind);
  }

  /** Waits until others have had their turn. */
  async letOthers(): Promise<void> {
    if (this.#kind === 'new') this.#kind = 'continued';
    const again = this.#slots.take(this.#signal, this.#kind);
    this.#release();
    this.#release = await again;
    this.#since = performance.now();
  }

  end(): void {
    this.#release();
  }
}
