import { characterAlone, classWith } from './expression-forms.ts';
import type { Expression } from './expression-forms.ts';
import type { Random } from './random.ts';

const join = (parts: readonly Expression[]): Expression => ({
  re2: parts.map(({ re2 }) => re2).join(''),
  js: parts.map(({ js }) => js).join(''),
});
const both = (text: string): Expression => ({ re2: text, js: text });
const wrapped = ({ re2, js }: Expression, before: string, after: string): Expression => ({
  re2: `${before}${re2}${after}`,
  js: `${before}${js}${after}`,
});

/** Expressions that mostly match a part of a line: its characters as they are, as classes, repeated, in alternatives, between borders. */
export class RandomExpressions {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  about(line: string, isFolded: boolean): Expression {
    const random = this.#random;
    const characters = [...line];
    const from = random.isOneOf(4) ? 0 : random.below(characters.length);
    const to = random.isOneOf(4) ? characters.length : Math.min(characters.length, from + 1 + random.below(9));
    if (to - from > 40) return this.about(characters.slice(from, from + 12).join(''), isFolded);
    const foldsAll = isFolded || random.isOneOf(6);
    const parts = [
      ...(foldsAll && !isFolded ? [{ re2: '(?i)', js: '' }] : []),
      ...(from === 0 && random.isOneOf(2) ? [both('^')] : []),
      ...this.#partsOf(characters.slice(from, to), foldsAll),
      ...(to === characters.length && random.isOneOf(2) ? [both('$')] : []),
    ];
    return join(parts);
  }

  #partsOf(characters: readonly string[], isFolded: boolean): Expression[] {
    const parts: Expression[] = [];
    let canSkip = true;
    for (let at = 0; at < characters.length; ) {
      if (this.#random.isOneOf(8)) parts.push(this.#border(characters[at - 1], characters[at]));
      const { part, length } = this.#piece(characters.slice(at), isFolded, canSkip);
      if (part.js.includes('.*')) canSkip = false;
      parts.push(part);
      at += length;
    }
    return parts;
  }

  /** Says of what so many characters are. */
  #piece(rest: readonly string[], isFolded: boolean, canSkip: boolean): { part: Expression; length: number } {
    const random = this.#random;
    const [character = ''] = rest;
    const alone = characterAlone(character, isFolded, random);
    switch (random.below(16)) {
      case 0:
        return canSkip
          ? { part: both(random.pick(['.*', '.*?'])), length: random.below(5) }
          : { part: alone, length: 1 };
      case 1:
      case 2:
        return this.#repeated(rest, isFolded);
      case 3:
      case 4:
        return { part: classWith(character, isFolded, random), length: 1 };
      case 5:
        return { part: this.#choice(alone), length: 1 };
      case 6:
        return { part: this.#inOwnCase(character, isFolded), length: 1 };
      default:
        return { part: alone, length: 1 };
    }
  }

  #repeated(rest: readonly string[], isFolded: boolean): { part: Expression; length: number } {
    const part = classWith(rest[0] ?? '', isFolded, this.#random);
    const own = new RegExp(`^${part.js}$`, 'su');
    const end = rest.findIndex((character) => !own.test(character));
    const length = Math.min(end < 0 ? rest.length : end, 1 + this.#random.below(12));
    const counts = ['*', '+', '+?', `{${length}}`, `{1,${length + 2}}`, `{${length},}`, `{0,${length}}`, '{1,1000}?'];
    return { part: wrapped(wrapped(part, '(?:', ')'), '', this.#random.pick(counts)), length };
  }

  /** One of several, also nothing. */
  #choice(part: Expression): Expression {
    const [before, after] = this.#random.pick<readonly [string, string]>([
      ['(?:', '|)'],
      ['(|', ')'],
      ['(', '|%==)'],
      ['(?:#+|', '|[0-9])'],
      ['(?P<name>', ')'],
      ['(?:', ')?'],
      ['', '??'],
    ]);
    const { re2, js } = wrapped(wrapped(part, '(?:', ')'), before, after);
    return { re2, js: js.replace('(?P<name>', '(') };
  }

  #inOwnCase(character: string, isFolded: boolean): Expression {
    const { re2, js } = characterAlone(character, !isFolded, this.#random);
    return { re2: isFolded ? `(?-i:${re2})` : `(?i:${re2})`, js };
  }

  #border(before = '', after = ''): Expression {
    const isBorder = /\w/.test(before) !== /\w/.test(after);
    return both(isBorder === !this.#random.isOneOf(10) ? '\\b' : '\\B');
  }
}
