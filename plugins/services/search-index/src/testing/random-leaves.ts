import { escaped } from './expression-forms.ts';
import type { Term } from './oracle.ts';
import type { Leaf, Leaves } from './random-queries.ts';
import { RandomExpressions } from './random-expressions.ts';
import type { Random } from './random.ts';

/** Pieces of expressions that RE2, Perl and JavaScript understand alike, of bytes or of characters. */
const pieces = ['\\w+', '[a-z]+', '[0-9]', '[ -~]', '\\b', '\\w*', '[A-Z]', '[ -~]*', '(a|e|in)', 'x?', '[ -`b-~]'];
const isPlain = /^[\0-\x7f]*$/;

abstract class LeavesOfTexts implements Leaves {
  protected readonly random: Random;
  readonly #texts: readonly string[];
  readonly #paths: readonly string[];

  constructor(files: ReadonlyMap<string, string>, random: Random) {
    this.random = random;
    this.#paths = [...files.keys()];
    this.#texts = [...files.values()].filter((text) => text.trim() !== '');
  }

  abstract term(): Term;
  abstract file(): Leaf;

  protected path(): string {
    return this.random.pick(this.#paths);
  }

  protected text(): string {
    return this.random.pick(this.#texts);
  }

  /** A line of some text with something in it. */
  protected line(end: RegExp): string {
    const lines = this.text()
      .split(end)
      .filter((line) => line.trim() !== '');
    return this.random.pick(lines);
  }
}

/** Texts and expressions that `git grep` understands as a search does. */
export class GrepLeaves extends LeavesOfTexts {
  term(): Term {
    return this.random.below(5) < 3 ? this.#literal() : this.#regex();
  }

  file(): Leaf {
    const part = this.random.part(this.path(), 6);
    return part.includes('\n') ? this.file() : { kind: 'file', pattern: escaped(part) };
  }

  #literal(): Term {
    const text = this.#part(1 + this.random.below(24));
    // With these git ends the quotes in which it gives a text to its expressions.
    if (text.includes('\\E')) return this.#literal();
    // What is no ASCII folds otherwise in the locale of git.
    return { kind: 'literal', text, isCaseSensitive: this.random.isOneOf(2) || !isPlain.test(text) };
  }

  #regex(): Term {
    const [before, after] = [this.#part(1 + this.random.below(5)), this.#part(this.random.below(3))];
    const isCaseSensitive = this.random.isOneOf(2) || !isPlain.test(before + after);
    return { kind: 'regex', pattern: escaped(before) + this.random.pick(pieces) + escaped(after), isCaseSensitive };
  }

  #part = (length: number): string => this.random.part(this.line(/\r?\n/), length);
}

/** Also letters in the other case, texts across lines, and expressions of every kind. */
export class AnyLeaves extends LeavesOfTexts {
  /** What each expression is in JavaScript. */
  readonly inJavaScript = new Map<string, string>();

  term(): Term {
    const isCaseSensitive = this.random.isOneOf(2);
    if (this.random.isOneOf(2)) return this.#expression(this.line(/\n/), isCaseSensitive);
    if (this.random.isOneOf(8)) return this.#acrossLines(isCaseSensitive);
    const text = this.random.part(this.line(/\n/), 1 + this.random.below(60));
    return { kind: 'literal', text: isCaseSensitive ? text : this.#inOtherCase(text), isCaseSensitive };
  }

  file(): Leaf {
    const path = this.path();
    // Of line ends no expression speaks.
    return path.includes('\n') ? this.file() : { kind: 'file', pattern: this.#expression(path, false).pattern };
  }

  #expression(text: string, isCaseSensitive: boolean): Extract<Term, { kind: 'regex' }> {
    const { re2, js } = new RandomExpressions(this.random).about(text, !isCaseSensitive);
    // Of nothing but a border there may be an expression, but of nothing none.
    if (re2 === '') return this.#expression(text, isCaseSensitive);
    const known = this.inJavaScript.get(re2);
    if (known !== undefined && known !== js) return this.#expression(text, isCaseSensitive);
    this.inJavaScript.set(re2, js);
    return { kind: 'regex', pattern: re2, isCaseSensitive };
  }

  #acrossLines(isCaseSensitive: boolean): Term {
    const text = this.text();
    const end = text.indexOf('\n', this.random.below(text.length));
    const [before, after] = [this.random.below(20), this.random.below(20)];
    const part = end < 0 ? text.slice(0, before + 1) : text.slice(Math.max(0, end - before), end + 1 + after);
    if (!part.isWellFormed()) return this.#acrossLines(isCaseSensitive);
    // In any case such texts are refused.
    return { kind: 'literal', text: part, isCaseSensitive: isCaseSensitive || !isPlain.test(part) };
  }

  #inOtherCase(text: string): string {
    const change = this.random.pick<(character: string) => string>([
      (character) => character,
      (character) => character.toUpperCase(),
      (character) => character.toLowerCase(),
    ]);
    const changed = [...text].map((character) =>
      change(character).length === character.length ? change(character) : character,
    );
    return changed.join('');
  }
}
