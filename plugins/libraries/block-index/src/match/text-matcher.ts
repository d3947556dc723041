import { Automaton } from '../regex/automaton.ts';
import { parseRegex } from '../regex/parse.ts';
import { compile } from '../regex/program.ts';
import type { Workspace } from '../kernel/workspace.ts';

const NO_MATCH = 0xffff_ffff;
/** Of a unit of UTF-16 in UTF-8. */
const MOST_BYTES = 3;

/** Tests short texts, such as paths, against a regular expression in RE2 syntax. Line borders are those of the text. */
export class TextMatcher {
  readonly #workspace: Workspace;
  readonly #automaton: Automaton;

  /** Throws QueryError and LimitError. */
  constructor(workspace: Workspace, regex: string, { foldCase = false } = {}) {
    this.#workspace = workspace;
    this.#automaton = new Automaton(workspace, compile(parseRegex(regex, { foldCase }), false));
  }

  test(text: string): boolean {
    const { arena, kernel } = this.#workspace;
    const at = this.#workspace.room(MOST_BYTES * text.length);
    const bytes = arena.buffer.write(text, at, 'utf8');
    return kernel.matchEnd(this.#automaton.address, at, at, at + bytes) >>> 0 !== NO_MATCH;
  }

  release(): void {
    this.#automaton.release();
  }
}
