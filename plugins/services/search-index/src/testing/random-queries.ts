import type { Query } from '@sextant/library-query';

type Leaf = Extract<Query, { kind: 'literal' | 'regex' | 'file' | 'lang' }>;

const languages = ['go', 'java', 'python', 'markdown', 'c', 'javascript'];
/** Pieces of expressions that RE2, Perl and JavaScript understand alike, of bytes or of characters. */
const pieces = ['\\w+', '[a-z]+', '[0-9]', '[ -~]', '\\b', '\\w*', '[A-Z]', '[ -~]*', '(a|e|in)', 'x?', '[ -`b-~]'];

/** Queries about the text of some files: of the same seed always the same. */
export class RandomQueries {
  readonly #texts: readonly string[];
  readonly #paths: readonly string[];
  #state: number;

  constructor(files: ReadonlyMap<string, string>, seed: number) {
    this.#paths = [...files.keys()];
    this.#texts = [...files.values()].filter((text) => text.trim() !== '');
    this.#state = seed;
  }

  /** Mostly one term, else a combination with at least one that is not negated. */
  next(): Query {
    const shape = this.#below(8);
    if (shape < 3) return this.#literal();
    if (shape < 5) return this.#regex();
    if (shape === 5) return { kind: 'or', children: [this.#literal(), this.#all()] };
    return this.#all();
  }

  #all(): Query {
    const others = Array.from({ length: 1 + this.#below(2) }, (): Query => {
      const leaf = this.#leaf();
      return this.#below(3) === 0 ? { kind: 'not', child: leaf } : leaf;
    });
    return { kind: 'and', children: [this.#below(2) === 0 ? this.#regex() : this.#literal(), ...others] };
  }

  #leaf(): Leaf {
    switch (this.#below(5)) {
      case 0:
        return { kind: 'file', pattern: escaped(this.#part(this.#pick(this.#paths), 6)) };
      case 1:
        return { kind: 'lang', name: this.#pick(languages) };
      case 2:
        return this.#regex();
      default:
        return this.#literal();
    }
  }

  #literal(): Leaf {
    const text = this.#part(this.#line(), 1 + this.#below(24));
    // What is no ASCII folds otherwise in the locale of git.
    return { kind: 'literal', text, isCaseSensitive: this.#below(2) === 0 || !isPlain.test(text) };
  }

  #regex(): Leaf {
    const [before, after] = [this.#part(this.#line(), 1 + this.#below(5)), this.#part(this.#line(), this.#below(3))];
    const isCaseSensitive = this.#below(2) === 0 || !isPlain.test(before + after);
    return { kind: 'regex', pattern: escaped(before) + this.#pick(pieces) + escaped(after), isCaseSensitive };
  }

  /** A line of some text with something in it. */
  #line(): string {
    const lines = this.#pick(this.#texts)
      .split(/\r?\n/)
      .filter((line) => line.trim() !== '');
    return this.#pick(lines);
  }

  /** So many characters of a text, or all of it. */
  #part(text: string, length: number): string {
    const characters = [...text];
    return characters
      .slice(this.#below(Math.max(1, characters.length - length)))
      .slice(0, length)
      .join('');
  }

  #pick<T>(list: readonly T[]): T {
    const chosen = list[this.#below(list.length)];
    if (chosen === undefined) throw new Error('there is nothing to choose from');
    return chosen;
  }

  #below(count: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * count);
  }
}

const isPlain = /^[\0-\x7f]*$/;
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
