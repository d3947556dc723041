import type { Content, Literal, Matches, Regex } from '@sextant/library-block-index';
import type { TextsWorth } from './texts-worth.ts';

/** How many texts may stand in a row in the documents of a visit, as far as these were looked at: text by text, the rarest first. */
export class Hopes {
  readonly #texts: TextsWorth;
  readonly #content: Content;
  /** Of documents those texts that stand beside none of the others. */
  readonly #apart = new Map<number, readonly string[]>();

  constructor(texts: TextsWorth, content: Content) {
    this.#texts = texts;
    this.#content = content;
  }

  /** At most so many stand in a row in a document with these matches of one more text. */
  inRow(document: number, text: Literal | Regex, matches: Matches): number {
    const neighbours = this.#texts.neighboursOf(text);
    let apart = this.#apart.get(document) ?? [];
    if (!neighbours.mayStandIn(matches, this.#content)) {
      apart = [...apart, neighbours.word];
      this.#apart.set(document, apart);
    }
    return apart.length === 0 ? this.#texts.words.most : this.#texts.words.mostWithout(apart);
  }
}
