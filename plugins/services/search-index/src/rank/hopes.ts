import type { Content, Literal, Matches, Regex } from '@sextant/library-block-index';
import type { TextsWorth } from './texts-worth.ts';

interface Known {
  /** Of texts, in lower case: how many stand in a row with them at most. */
  readonly limits: Map<string, number>;
  most: number;
}

/** How many texts may stand in a row in the documents of a visit, as far as these were looked at: text by text. */
export class Hopes {
  readonly #texts: TextsWorth;
  readonly #content: Content;
  readonly #known = new Map<number, Known>();

  constructor(texts: TextsWorth, content: Content) {
    this.#texts = texts;
    this.#content = content;
  }

  /** At most so many stand in a row in a document. */
  of(document: number): number {
    return this.#known.get(document)?.most ?? this.#texts.words.most;
  }

  /** The same where these are the matches of one more text. */
  with(document: number, text: Literal | Regex, matches: Matches): number {
    const { words } = this.#texts;
    const neighbours = this.#texts.neighboursOf(text);
    const limit = neighbours.mostIn(matches, this.#content);
    if (limit === words.most) return this.of(document);
    const known = this.#known.get(document) ?? { limits: new Map<string, number>(), most: words.most };
    known.limits.set(neighbours.word, limit);
    known.most = words.mostWith(known.limits);
    this.#known.set(document, known);
    return known.most;
  }
}
