import { LazyDfa } from '../regex/lazy-dfa.ts';
import { parseRegex } from '../regex/parse.ts';
import { compile } from '../regex/program.ts';
import type { Workspace } from '../workspace.ts';

const NO_MATCH = 0xffff_ffff;

export type ByteRange = readonly [start: number, end: number];

/** Matches a regular expression in RE2 syntax in single lines that are not indexed, as a search does in the lines of a shard. */
export class LineMatcher {
  readonly #workspace: Workspace;
  readonly #forward: LazyDfa;
  readonly #backward: LazyDfa;

  /** Throws QueryError and LimitError. */
  constructor(workspace: Workspace, regex: string, { foldCase = false } = {}) {
    const node = parseRegex(regex, { foldCase });
    this.#workspace = workspace;
    this.#forward = new LazyDfa(workspace, compile(node, false));
    try {
      this.#backward = new LazyDfa(workspace, compile(node, true));
    } catch (error) {
      this.#forward.release();
      throw error;
    }
  }

  /** Whether a line (UTF-8, without its end) has a match. */
  test(line: Uint8Array): boolean {
    const { at, end } = this.#place(line);
    return this.#workspace.kernel.matchEnd(this.#forward.address, at, at, end) >>> 0 !== NO_MATCH;
  }

  /** The byte ranges of the matches of a line, in order, without empty matches. */
  ranges(line: Uint8Array): ByteRange[] {
    const { at, end } = this.#place(line);
    const { kernel } = this.#workspace;
    const ranges: ByteRange[] = [];
    for (let from = at; from <= end; ) {
      const to = kernel.matchEnd(this.#forward.address, from, at, end) >>> 0;
      if (to === NO_MATCH) break;
      const start = kernel.matchStart(this.#backward.address, from, to, at, end) >>> 0;
      if (start < to) ranges.push([start - at, to - at]);
      from = start < to ? to : nextCharacter(line, to - at) + at;
    }
    return ranges;
  }

  release(): void {
    this.#forward.release();
    this.#backward.release();
  }

  #place(line: Uint8Array): { at: number; end: number } {
    const at = this.#workspace.room(line.length);
    this.#workspace.arena.u8.set(line, at);
    return { at, end: at + line.length };
  }
}

/** The offset after the character at `from`. */
function nextCharacter(line: Uint8Array, from: number): number {
  let next = from + 1;
  while (((line[next] ?? 0) & 0xc0) === 0x80) next += 1;
  return next;
}

/** Maximum bytes in UTF-8 of a UTF-16 unit. */
const MAX_UNIT_BYTES = 3;

/** Tests short texts, such as paths, against a regular expression in RE2 syntax. The text is one line. */
export class TextMatcher {
  readonly #workspace: Workspace;
  readonly #dfa: LazyDfa;

  /** Throws QueryError and LimitError. */
  constructor(workspace: Workspace, regex: string, { foldCase = false } = {}) {
    this.#workspace = workspace;
    this.#dfa = new LazyDfa(workspace, compile(parseRegex(regex, { foldCase }), false));
  }

  test(text: string): boolean {
    const { arena, kernel } = this.#workspace;
    const at = this.#workspace.room(MAX_UNIT_BYTES * text.length);
    const bytes = arena.buffer.write(text, at, 'utf8');
    return kernel.matchEnd(this.#dfa.address, at, at, at + bytes) >>> 0 !== NO_MATCH;
  }

  release(): void {
    this.#dfa.release();
  }
}
