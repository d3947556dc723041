import { Matches } from './matches.ts';
import type { SearchContext, ShardTerm } from './query.ts';

/** Blocks of the first batch, because a search may stop early. */
const FIRST_BATCH = 32;
/** Maximum blocks of a batch, which takes about a millisecond. Other searches may run between batches. Lines take longer than literals. */
const MAX_BATCH = { lines: 96, literals: 512 } as const;
const FIELDS = 6;

/** Flag of a line limit: further lines are not counted, it is enough to know that there are some. */
export const UNCOUNTED = 0x4000_0000;
/** A line limit: all matches of all lines. */
export const EVERY_LINE = 0xffff_ffff;
/** A line limit: all lines, of each the first eight matches, and then up to 64 that are whole words. */
export const WORDS_OF_LINES = 0x2fff_ffff;
/** The same, and a literal matches only as a whole word. */
export const WHOLE_WORDS = 0x3fff_ffff;
/** A line limit: one line of each document. */
export const ANY_LINE = 1 | UNCOUNTED;

/** Scans text for the matches of one term. */
export class Scanner {
  readonly #context: SearchContext;

  constructor(context: SearchContext) {
    this.#context = context;
  }

  /**
   * Yields the matches in the first `count` candidates. `lines` says in how many lines of a document matches are written, or is one of the constants
   * above; further lines are counted. A result is valid until the next one, or until another search continues.
   * Between two results others may use the workspace, but not these candidates.
   */
  *blocks(term: ShardTerm, count: number, lines: number): Generator<Matches> {
    const { candidates, content, filter } = this.#context;
    if (count > 0) term.begin(lines);
    const most = MAX_BATCH[term.wanted];
    for (let done = 0, size = FIRST_BATCH; done < count; size = Math.min(most, size * 2)) {
      const ids = candidates.ids + done * 4;
      this.#check();
      const placed = content.place(ids, Math.min(size, count - done), term.wanted);
      const found = term.scan({ ids, count: placed, filter });
      done += this.#context.workspace.kernel.scanned.value;
      if (found > 0) yield this.#take(found);
    }
  }

  /** Yields the matches in whole documents, for literals with line breaks. Results are valid as in `blocks`. */
  *documents(term: ShardTerm, documents: Uint32Array): Generator<Matches> {
    const { content, shard, workspace } = this.#context;
    term.begin(EVERY_LINE);
    for (const document of documents) {
      const { start, end } = shard.documentRange(document);
      for (let from = start; from < end; from = workspace.kernel.resumeAt.value >>> 0) {
        this.#check();
        const found = term.scanDocument({ document, from, base: content.placeDocument(document) });
        if (found > 0) yield this.#take(found);
      }
    }
  }

  #check(): void {
    const { checkpoint, workspace } = this.#context;
    workspace.checkpoint = checkpoint; // long calls of the kernel call it, too
    checkpoint();
  }

  #take(count: number): Matches {
    const { arena, records } = this.#context.workspace;
    return new Matches(arena.words(records, count * FIELDS));
  }
}
