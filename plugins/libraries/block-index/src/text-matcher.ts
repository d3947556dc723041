import { Automaton } from './regex/automaton.ts';
import { parseRegex } from './regex/parse.ts';
import { compile } from './regex/program.ts';
import type { Workspace } from './workspace.ts';

const NO_MATCH = 0xffff_ffff;

/** Tests short texts, such as paths, against a regular expression in RE2 syntax. Line borders are those of the text. */
export class TextMatcher {
  readonly #workspace: Workspace;
  readonly #automaton: Automaton;
  readonly #encoder = new TextEncoder();

  /** Throws QueryError and LimitError. */
  constructor(workspace: Workspace, regex: string, { foldCase = false } = {}) {
    this.#workspace = workspace;
    this.#automaton = new Automaton(workspace, compile(parseRegex(regex, { foldCase }), false));
  }

  test(text: string): boolean {
    const bytes = this.#encoder.encode(text);
    const at = this.#workspace.room(bytes.length);
    this.#workspace.arena.u8.set(bytes, at);
    return this.#workspace.kernel.matchEnd(this.#automaton.address, at, at, at + bytes.length) >>> 0 !== NO_MATCH;
  }

  release(): void {
    this.#automaton.release();
  }
}
