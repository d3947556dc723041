const kinds = ['urgent', 'patient', 'loading', 'idle', 'last'] as const;
/** What someone waits for, what is done in the background, reading what was built, and what may wait until nothing else is to be done, the last until nothing at all is. */
export type Kind = (typeof kinds)[number];

/** After so long work gives its place to others that wait, where it can. */
const longestTurnMs = 5000;

/** Whether work shall end as far as it is and come again, because others wait. */
export type IsOver = () => boolean;

/**
 * So many of each kind at a time; what may wait, one at a time and beside nothing else. Of what someone waits for the latest goes first: a search of
 * a thousand repositories that are new does not stand before one of a single repository. What had its turn and goes on comes last.
 */
export class Turns {
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
    // Who waits is counted as running by whoever lets it go on: nobody comes between.
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
    // The last of what someone waits for goes first.
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
