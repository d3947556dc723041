import { SextantError, cut } from '@sextant/core';
import { LimitError, QueryError } from '../errors.ts';
import { Arena } from '../kernel/arena.ts';
import { LazyDfa } from '../regex/lazy-dfa.ts';
import { parseRegex } from '../regex/parse.ts';
import type { Node } from '../regex/parse.ts';
import { compile } from '../regex/program.ts';
import { Workspace } from '../workspace.ts';

const NO_MATCH = 0xffff_ffff;
/** Maximum bytes in UTF-8 of a UTF-16 unit. */
const MAX_UNIT_BYTES = 3;

export type ByteRange = readonly [start: number, end: number];

/** Matches a regular expression in RE2 syntax in single lines that are not indexed, as a search does in the lines of a shard. */
export class LineMatcher {
  readonly #workspace: Workspace;
  readonly #node: Node;
  readonly #forward: LazyDfa;
  /** Created when ranges are first asked for. */
  #backward: LazyDfa | undefined;

  /** Throws QueryError and LimitError. */
  constructor(workspace: Workspace, regex: string, { foldCase = false } = {}) {
    this.#workspace = workspace;
    this.#node = parseRegex(regex, { foldCase });
    this.#forward = new LazyDfa(workspace, compile(this.#node, false));
  }

  /** Whether a line (without its end, as text or UTF-8) has a match. */
  test(line: string | Uint8Array): boolean {
    const { at, end } = this.#place(line);
    return this.#workspace.kernel.matchEnd(this.#forward.address, at, at, end) >>> 0 !== NO_MATCH;
  }

  /** The byte ranges of the matches of a line, in order, without empty matches. Throws LimitError. */
  ranges(line: Uint8Array): ByteRange[] {
    this.#backward ??= new LazyDfa(this.#workspace, compile(this.#node, true));
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
    this.#backward?.release();
  }

  #place(line: string | Uint8Array): { at: number; end: number } {
    const { arena } = this.#workspace;
    if (typeof line === 'string') {
      const at = this.#workspace.room(MAX_UNIT_BYTES * line.length);
      return { at, end: at + arena.buffer.write(line, at, 'utf8') };
    }
    const at = this.#workspace.room(line.length);
    arena.u8.set(line, at);
    return { at, end: at + line.length };
  }
}

/** The offset after the character at `from`. */
function nextCharacter(line: Uint8Array, from: number): number {
  let next = from + 1;
  while (((line[next] ?? 0) & 0xc0) === 0x80) next += 1;
  return next;
}

const ARENA_BYTES = 48 << 20;
/** Characters of an expression that an error shows. */
const SHOWN = 100;

interface PatternOptions {
  readonly foldCase: boolean;
  /** The argument that an error names. */
  readonly argument?: string;
  /** How an error shows the expression, if a caller wrote another one. */
  readonly written?: string;
}

/** Compiles the regular expressions of callers: to check them before a search, and to match names. */
export class Patterns {
  readonly #workspace: Workspace;

  constructor(workspace: Workspace = new Workspace(Arena.create(ARENA_BYTES))) {
    this.#workspace = workspace;
  }

  /** Release the matcher after use. Throws `invalid_argument` for an expression that cannot be used. */
  compile(regex: string, { foldCase, argument, written = regex }: PatternOptions): LineMatcher {
    try {
      return new LineMatcher(this.#workspace, regex, { foldCase });
    } catch (error) {
      if (!(error instanceof QueryError) && !(error instanceof LimitError)) throw error;
      const shown = cut(written, SHOWN);
      throw new SextantError(
        'invalid_argument',
        argument === undefined
          ? `the regular expression "${shown}" cannot be used: ${error.message}`
          : `Argument "${argument}": "${shown}" cannot be used: ${error.message}.`,
      );
    }
  }

  /** Throws `invalid_argument` for an expression that cannot be used. */
  check(regex: string, options: PatternOptions): void {
    this.compile(regex, options).release();
  }

  /** The names that an expression matches, in any case and unanchored. Throws `invalid_argument`. */
  matching(regex: string, names: readonly string[]): ReadonlySet<string> {
    const matcher = this.compile(regex, { foldCase: true });
    try {
      return new Set(names.filter((name) => matcher.test(name)));
    } finally {
      matcher.release();
    }
  }
}
