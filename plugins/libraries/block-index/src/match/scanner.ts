import type { Content } from '../format/content.ts';
import type { Shard } from '../format/shard.ts';
import type { Candidates } from '../postings/candidates.ts';
import type { Workspace } from '../workspace.ts';
import { Matches } from './matches.ts';
import type { Counts, Term } from './term.ts';

/** Blocks of the first batch when a search may stop early. */
const FIRST_BATCH = 32;
/** Blocks of a batch: a step of about a millisecond, between which other searches have their turn. Lines take longer than texts. */
const MOST = { lines: 96, literals: 512 } as const;
const FIELDS = 6;

/** Beside the number of lines of a document that are wanted: that others are not counted, as it is enough to know that there are some. */
export const UNCOUNTED = 0x4000_0000;
/** Instead of it: all of them. */
export const EVERY_LINE = 0xffff_ffff;
/** All lines, but of each the first eight matches, and of the others 64 that are whole words. */
export const WORDS_OF_LINES = 0x2fff_ffff;
/** The same, of a literal only where it is a whole word. */
export const WHOLE_WORDS = 0x3fff_ffff;
export const ANY_LINE = 1 | UNCOUNTED;

export interface Scan {
  /** Most lines of a document. */
  readonly lines: number;
  readonly isEager: boolean;
}

/** What a search works with. */
export interface Bench {
  readonly workspace: Workspace;
  readonly shard: Shard;
  readonly content: Content;
  readonly candidates: Candidates;
  /** Address of the bitmap of allowed documents; 0: all are. */
  readonly filter: number;
  /** Throws to stop the search. */
  readonly checkpoint: () => void;
}

/** Looks at text: yields the matches of one term, some at a time. */
export class Scanner {
  readonly #bench: Bench;

  constructor(bench: Bench) {
    this.#bench = bench;
  }

  /**
   * Matches in the first `count` candidates; a result is good until the next is asked for, or another search goes on. Between two of them others may use
   * the workspace, but not these candidates.
   */
  *blocks(term: Term, count: number, { lines, isEager }: Scan): Generator<Matches> {
    const { candidates, content, filter } = this.#bench;
    if (count > 0) term.begin(lines);
    const most = MOST[term.wanted];
    for (let done = 0, size = isEager ? FIRST_BATCH : most; done < count; size = Math.min(most, size * 2)) {
      const ids = candidates.ids + done * 4;
      this.#check();
      const placed = content.place(ids, Math.min(size, count - done), term.wanted);
      const found = term.scan({ ids, count: placed, filter });
      done += this.#bench.workspace.kernel.scanned.value;
      if (found > 0) yield this.#take(found);
    }
  }

  /** Matches in whole documents, for literals with line breaks; each result as long as those of blocks. */
  *documents(term: Term, documents: Uint32Array): Generator<Matches> {
    const { content, shard, workspace } = this.#bench;
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

  /** Adds the matches in the first `count` candidates to the counts of documents, some at a time: see `Term.count`. */
  *counts(term: Term, count: number, counts: Counts): Generator<void> {
    const { candidates, content, workspace } = this.#bench;
    if (!term.count) {
      for (const matches of this.blocks(term, count, { lines: EVERY_LINE, isEager: false })) {
        matches.addCounts(workspace.arena.words(counts.address, 2 * (counts.to - counts.from)), counts.from);
        yield;
      }
      return;
    }
    term.begin(EVERY_LINE);
    for (let done = 0; done < count; ) {
      const ids = candidates.ids + done * 4;
      this.#check();
      const placed = content.place(ids, Math.min(MOST.literals, count - done), term.wanted);
      term.count({ ids, count: placed, counts });
      done += placed;
      yield;
    }
  }

  #check(): void {
    const { checkpoint, workspace } = this.#bench;
    workspace.checkpoint = checkpoint; // long calls of the kernel ask, too
    checkpoint();
  }

  #take(count: number): Matches {
    const { arena, records } = this.#bench.workspace;
    return new Matches(arena.words(records, count * FIELDS));
  }
}
