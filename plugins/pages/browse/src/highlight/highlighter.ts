import { plainLine } from '@sextant/library-ui';
import { LRUCache } from 'lru-cache';
import { HighlightWorker } from './highlight-worker.ts';

export interface HighlighterLimits {
  /** Characters of markup that are remembered. */
  cacheCharacters: number;
  /** Longest file that is highlighted, in characters. */
  fileCharacters: number;
  /** Milliseconds of work for one file in all. */
  fileMs: number;
  /** Milliseconds after which some lines are given up. */
  hangMs: number;
}

/** A file whose lines are highlighted. */
export interface Source {
  /** Of its content: what was highlighted once is remembered under it. */
  readonly id: string;
  readonly language: string | undefined;
  readonly characters: number;
  readonly lineCount: number;
  /** From `from` to before `to`, counted from 0, without line ends. */
  lines(from: number, to: number): readonly string[];
}

/** Lines as markup; those that were not ready in time are plain. */
export interface Highlighted {
  readonly markup: readonly string[];
  readonly isComplete: boolean;
}

interface Work {
  readonly source: Source;
  readonly language: string;
  readonly markup: string[];
  /** How far it is wanted. */
  wanted: number;
  spentMs: number;
  isOver: boolean;
  waiting: (() => void)[];
  /** Who waits now; the others come back for it. */
  waiters: number;
}

const linesAtOnce = 200;
const warmUpMs = 3000;
const sample: Source = {
  id: 'sample',
  language: 'typescript',
  characters: 12,
  lineCount: 1,
  lines: () => ['const a = 1;'],
};

/** Highlights files in a thread, some lines at a time, so that a long file keeps nobody waiting. */
export class Highlighter {
  readonly #limits: HighlighterLimits;
  readonly #worker: HighlightWorker;
  readonly #known: LRUCache<string, Work>;
  readonly #queue: Work[] = [];
  #isBusy = false;
  #isClosed = false;

  constructor(limits: HighlighterLimits) {
    this.#limits = limits;
    this.#worker = new HighlightWorker(limits.hangMs);
    this.#known = new LRUCache({
      maxSize: limits.cacheCharacters,
      // Markup is a few times longer than its text.
      sizeCalculation: ({ source }) => 4 * source.characters + 1000,
    });
  }

  /** Lines `from` to before `to`, counted from 0, after so many milliseconds at most. */
  async lines(source: Source, [from, to]: readonly [number, number], waitMs: number): Promise<Highlighted> {
    const work = this.#workOf(source);
    const end = Math.min(to, source.lineCount);
    if (work) await this.#until(work, end, waitMs);
    const ready = work?.markup.slice(from, end) ?? [];
    const rest = source.lines(from + ready.length, end).map(plainLine);
    return { markup: [...ready, ...rest], isComplete: rest.length === 0 || !work || work.isOver };
  }

  /** Starts the thread before anyone waits for it, and not at once: a server that was just started has other work. */
  warmUpLater(): void {
    setTimeout(() => void this.lines(sample, [0, 1], 0), warmUpMs).unref();
  }

  forget(): void {
    this.#known.clear();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const work of this.#queue.splice(0)) end(work);
    await this.#worker.close();
  }

  #workOf(source: Source): Work | undefined {
    const { language, characters } = source;
    if (language === undefined || characters > this.#limits.fileCharacters || this.#isClosed) return undefined;
    const key = `${language} ${source.id}`;
    const work = this.#known.get(key) ?? {
      source,
      language,
      markup: [],
      wanted: 0,
      spentMs: 0,
      isOver: false,
      waiting: [],
      waiters: 0,
    };
    this.#known.set(key, work);
    return work;
  }

  async #until(work: Work, line: number, waitMs: number): Promise<void> {
    if (work.isOver || work.markup.length >= line) return;
    work.wanted = Math.max(work.wanted, line);
    const ready = new Promise<void>((resolve) => work.waiting.push(resolve));
    if (!this.#queue.includes(work)) this.#queue.push(work);
    void this.#run();
    const late = new Promise<void>((resolve) => setTimeout(resolve, waitMs));
    work.waiters += 1;
    await Promise.race([ready, late]);
    work.waiters -= 1;
  }

  /** One thread, one file after the other, some lines of each in turn. */
  async #run(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    for (let work = this.#next(); work; work = this.#next()) {
      await this.#step(work);
      if (work.isOver || work.markup.length >= work.wanted) settle(work);
      else this.#queue.push(work);
    }
    this.#isBusy = false;
  }

  /** A file that someone waits for, before those that will be asked for again. */
  #next(): Work | undefined {
    const awaited = this.#queue.findIndex(({ waiters }) => waiters > 0);
    return this.#queue.splice(Math.max(0, awaited), 1)[0];
  }

  async #step(work: Work): Promise<void> {
    const { source, language, markup } = work;
    const from = markup.length;
    const to = Math.min(source.lineCount, from + linesAtOnce);
    const started = performance.now();
    const lines = source.lines(from, to);
    const isLast = to === source.lineCount;
    const file = `${language} ${source.id}`;
    const result = await this.#worker.highlight({ file, language, lines, isFirst: from === 0, isLast });
    work.spentMs += performance.now() - started;
    if (result) markup.push(...result);
    else this.#forgetUnfinished(work);
    work.isOver ||= isLast || !result || work.spentMs > this.#limits.fileMs;
  }

  /** The thread was ended: what others still want begins anew when it is asked for again. */
  #forgetUnfinished(culprit: Work): void {
    for (const [key, work] of this.#known.entries())
      if (work !== culprit && !work.isOver) {
        this.#known.delete(key);
        end(work);
      }
    this.#queue.length = 0;
  }
}

function settle(work: Work): void {
  for (const resolve of work.waiting.splice(0)) resolve();
}

function end(work: Work): void {
  work.isOver = true;
  settle(work);
}
