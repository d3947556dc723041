import { QueryError } from '../format/errors.ts';

/** Reads a pattern character by character. */
export class Cursor {
  readonly pattern: string;
  position = 0;

  constructor(pattern: string) {
    this.pattern = pattern;
    for (let i = 0; i < pattern.length; i++) {
      const code = pattern.codePointAt(i) ?? 0;
      if (code >= 0xd800 && code < 0xe000) throw new QueryError('half of a surrogate pair is no character', i);
      if (code > 0xffff) i++;
    }
  }

  get isAtEnd(): boolean {
    return this.position >= this.pattern.length;
  }

  /** The next character, '' at the end. */
  get next(): string {
    return this.isAtEnd ? '' : String.fromCodePoint(this.pattern.codePointAt(this.position) ?? 0);
  }

  take(): string {
    const character = this.next;
    this.position += character.length;
    return character;
  }

  /** Takes the text if it is next. */
  accept(text: string): boolean {
    if (!this.pattern.startsWith(text, this.position)) return false;
    this.position += text.length;
    return true;
  }

  /** Takes what a sticky expression of ours matches here. */
  match(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.position;
    const found = expression.exec(this.pattern) ?? undefined;
    if (found) this.position += found[0].length;
    return found;
  }

  fail(message: string, position = this.position): never {
    throw new QueryError(message, position);
  }
}
