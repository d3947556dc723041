const kinds = ['urgent', 'patient', 'loading', 'idle', 'last'] as const;
/** Builds that a search waits for, builds in the background, loads, and what is done while nothing else is: `idle`, then `last`. */
export type Kind = (typeof kinds)[number];

/** Work that others wait for ends its turn after so long, where it can. */
const longestTurnMs = 5000;

/** Whether the turn of some work is over: it ends where it is, and is run again. */
export type IsOver = () => boolean;

/**
 * Runs a limited number of each kind of work at a time, and what is idle or last alone. The latest urgent work goes first, so that a search of a
 * thousand new repositories does not delay a search of one. Work that had a turn and continues goes last.
 */
export class IndexScheduler {
  readonly #most: Readonly<Record<Kind, number>>;
  readonly #running: Record<Kind, number> = { urgent: 0, patient: 0, loading: 0, idle: 0, last: 0 };
  readonly #waiting: Readonly<Record<Kind, (() => void)[]>> = {
    urgent: [],
    patient: [],
    loading: [],
    idle: [],
    last: [],
  };

  readonly #turnMs: number;

  constructor(patient: number, turnMs = longestTurnMs) {
    this.#turnMs = turnMs;
    this.#most = { urgent: 1, patient, loading: Infinity, idle: 1, last: 1 };
  }

  async run<T>(work: (isOver: IsOver) => Promise<T>, kind: Kind, { isContinued = false } = {}): Promise<T> {
    // Whoever starts waiting work counts it as running, so that no other work comes between.
    if (this.#mayRun(kind)) this.#running[kind] += 1;
    else await new Promise<void>((resolve) => this.#wait(resolve, { kind, isContinued }));
    const begun = performance.now();
    try {
      return await work(() => this.#waiting[kind].length > 0 && performance.now() - begun >= this.#turnMs);
    } finally {
      this.#running[kind] -= 1;
      for (const each of kinds) this.#letRun(each);
    }
  }

  #wait(begin: () => void, { kind, isContinued }: { kind: Kind; isContinued: boolean }): void {
    // Urgent work is taken from the end.
    if (isContinued && kind === 'urgent') this.#waiting[kind].unshift(begin);
    else this.#waiting[kind].push(begin);
  }

  #mayRun(kind: Kind): boolean {
    if (kind === 'idle' || kind === 'last') return kinds.every((each) => this.#running[each] === 0);
    return this.#running[kind] < this.#most[kind];
  }

  #letRun(kind: Kind): void {
    while (this.#waiting[kind].length > 0 && this.#mayRun(kind)) {
      this.#running[kind] += 1;
      const waiting = this.#waiting[kind];
      const next = kind === 'urgent' ? waiting.pop() : waiting.shift();
      next?.();
    }
  }
}
