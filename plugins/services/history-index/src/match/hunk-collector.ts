import { cut } from '@sextant/core';
import { textOf } from '@sextant/contracts';
import type { CommitRecord, MatchRange, PatchSink } from '@sextant/contracts';
import { shownHunk, wholeCharacters, wholeHunk } from '../limits.ts';
import { FirstResults } from './results.ts';
import type { ChangesWanted } from './results.ts';
import type { LineMatcher } from '@sextant/library-block-index';

export interface FoundHunk {
  readonly record: CommitRecord;
  readonly path: string;
  readonly hunk: string;
  readonly matchRanges: readonly MatchRange[];
}

interface OpenHunk {
  readonly record: CommitRecord;
  readonly path: string;
  readonly lines: string[];
  readonly ranges: MatchRange[];
  characters: number;
  /** Lines that are left out before and after the kept ones. */
  before: number;
  after: number;
  hasMatch: boolean;
}

/** Collects hunks that have a match on a wanted side, as a parser or a shard shows them. */
export class HunkCollector extends FirstResults<FoundHunk> implements PatchSink {
  readonly #content: LineMatcher;
  #characters = 0;
  #record: CommitRecord | undefined;
  #header = '';
  #open: OpenHunk | undefined;

  constructor(wanted: ChangesWanted) {
    super(wanted);
    if (!wanted.predicate.content) throw new Error('a search of diffs has a pattern');
    this.#content = wanted.predicate.content;
  }

  commit(record: CommitRecord): void {
    this.end();
    this.#record = record;
  }

  hunk(path: string, header: string): void {
    this.end();
    const counts = { characters: 0, before: 0, after: 0, hasMatch: false };
    this.#header = header;
    if (!this.wanted.predicate.acceptsPath(path)) return;
    this.#open = this.#record && { record: this.#record, path, lines: [], ranges: [], ...counts };
  }

  line(line: Buffer): void {
    const open = this.#open;
    if (!open) return;
    const content = this.contentOf(line);
    const hasMatch = content !== undefined && this.#content.test(content);
    open.hasMatch ||= hasMatch;
    const limits = this.#limits;
    if (!open.hasMatch && open.lines.length >= limits.linesBefore) {
      open.characters -= open.lines.shift()?.length ?? 0;
      open.before += 1;
    }
    if (open.lines.length >= limits.lines || open.characters >= limits.characters) open.after += 1;
    else this.#keep(open, textOf(line), hasMatch ? content : undefined);
  }

  get #limits(): typeof shownHunk {
    return this.wanted.isWhole && this.#characters < wholeCharacters ? wholeHunk : shownHunk;
  }

  /** Ends the last hunk. Call it after the last line. */
  end(): void {
    const open = this.#open;
    this.#open = undefined;
    if (!open?.hasMatch || this.isDone) return;
    const { record, path, lines, ranges, before, after } = open;
    const hunk = [cut(this.#header, shownHunk.line), ...cutNote(before), ...lines, ...cutNote(after)].join('\n');
    const shift = before === 0 ? 1 : 2;
    const matchRanges = ranges.map((range) => ({ ...range, line: range.line + shift }));
    this.#characters += hunk.length;
    this.found.push({ record, path, hunk, matchRanges });
  }

  #keep(open: OpenHunk, text: string, matching: Buffer | undefined): void {
    const line = cut(text, shownHunk.line);
    open.lines.push(line);
    open.characters += line.length;
    for (const [start, end] of matching ? this.#content.ranges(matching) : []) {
      if (open.ranges.length >= this.#limits.ranges) return;
      const at = (byte: number): number => 1 + (matching?.toString('utf8', 0, byte).length ?? 0);
      const range = { line: open.lines.length, start: at(start), end: at(end) };
      // Ranges come in order. Each position is counted from the start of the line, so counting all takes quadratic time.
      if (range.end > line.length) return;
      open.ranges.push(range);
    }
  }
}

const cutNote = (count: number): string[] => (count === 0 ? [] : [`[${count} lines of this hunk are not shown]`]);
