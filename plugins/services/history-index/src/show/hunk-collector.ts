import type { MatchRange } from '@sextant/contracts';
import type { CommitRecord } from '../git/commit-record.ts';
import type { EndingSink } from '../git/commands.ts';
import { textOf, utf8Of } from '../git/text.ts';
import type { AnyOf } from '../request/patterns.ts';
import { sideMarkers } from '../match/commit-sinks.ts';
import type { ChangesWanted } from '../match/commit-sinks.ts';
import type { CommitPredicate } from '../match/commit-predicate.ts';

export interface FoundHunk {
  readonly record: CommitRecord;
  readonly path: string;
  readonly hunk: string;
  readonly matchRanges: readonly MatchRange[];
}

/** Of a long hunk so much is shown before and after its first match. */
const shown = { linesBefore: 40, lines: 120, characters: 8000, line: 1000, ranges: 100 };

interface OpenHunk {
  readonly record: CommitRecord;
  readonly path: string;
  readonly lines: string[];
  readonly ranges: MatchRange[];
  characters: number;
  /** Lines left out before and after those that are kept. */
  before: number;
  after: number;
  hasMatch: boolean;
}

/** Hunks with a match on a wanted side. */
export class HunkCollector implements EndingSink {
  readonly found: FoundHunk[] = [];
  seen = 0;
  readonly #conditions: CommitPredicate;
  readonly #content: AnyOf;
  readonly #markers: readonly number[];
  readonly #most: number;
  #record: CommitRecord | undefined;
  #header = '';
  #open: OpenHunk | undefined;

  constructor({ conditions, sides, most }: ChangesWanted) {
    if (!conditions.content) throw new Error('a search of diffs has a pattern');
    this.#conditions = conditions;
    this.#content = conditions.content;
    this.#markers = sides.map((side) => sideMarkers[side]);
    this.#most = most;
  }

  get isDone(): boolean {
    return this.found.length >= this.#most;
  }

  commit(record: CommitRecord): void {
    this.end();
    this.seen += 1;
    this.#record = record;
  }

  path(): void {
    // Hunks name their file themselves.
  }

  hunk(path: string, header: string): void {
    this.end();
    const counts = { characters: 0, before: 0, after: 0, hasMatch: false };
    this.#header = header;
    if (!this.#conditions.acceptsPath(path)) return;
    this.#open = this.#record && { record: this.#record, path, lines: [], ranges: [], ...counts };
  }

  line(line: Buffer): void {
    const open = this.#open;
    if (!open) return;
    const isWanted = this.#markers.includes(line[0] ?? 0);
    const content = isWanted ? utf8Of(line.subarray(1)) : undefined;
    const hasMatch = content !== undefined && this.#content.test(content);
    open.hasMatch ||= hasMatch;
    if (!open.hasMatch && open.lines.length >= shown.linesBefore) {
      open.characters -= open.lines.shift()?.length ?? 0;
      open.before += 1;
    }
    if (open.lines.length >= shown.lines || open.characters >= shown.characters) open.after += 1;
    else this.#keep(open, textOf(line), hasMatch ? content : undefined);
  }

  /** The last hunk ends with the output. */
  end(): void {
    const open = this.#open;
    this.#open = undefined;
    if (!open?.hasMatch || this.isDone) return;
    const { record, path, lines, ranges, before, after } = open;
    const hunk = [clip(this.#header), ...cutNote(before), ...lines, ...cutNote(after)].join('\n');
    const shift = before === 0 ? 1 : 2;
    const matchRanges = ranges.map((range) => ({ ...range, line: range.line + shift }));
    this.found.push({ record, path, hunk, matchRanges });
  }

  #keep(open: OpenHunk, text: string, matching: Buffer | undefined): void {
    const line = clip(text);
    open.lines.push(line);
    open.characters += line.length;
    for (const [start, end] of matching ? this.#content.ranges(matching) : []) {
      if (open.ranges.length >= shown.ranges) return;
      const at = (byte: number): number => 1 + (matching?.toString('utf8', 0, byte).length ?? 0);
      const range = { line: open.lines.length, start: at(start), end: at(end) };
      // They come in order. Each is found from the beginning of the line, so going on would take the square of its length.
      if (range.end > line.length) return;
      open.ranges.push(range);
    }
  }
}

const cutNote = (count: number): string[] => (count === 0 ? [] : [`[${count} lines of this hunk are not shown]`]);
const clip = (line: string): string => (line.length > shown.line ? `${line.slice(0, shown.line)}…` : line);
