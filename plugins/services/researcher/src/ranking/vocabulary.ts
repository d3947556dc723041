import type { ReadTask, TaskWord } from '../task/read-task.ts';
import { identifierParts, stem } from '@sextant/library-ranking';

/** What an identifier of a text has to do with the task. */
export interface Meaning {
  /** Numbers of the words that are parts of it, each once. */
  readonly words: readonly number[];
  /** Number of the name that it is; -1 where it is none. */
  readonly name: number;
}

const nothing: Meaning = { words: [], name: -1 };

/** The words and names of a task, by the identifiers of texts. */
export class Vocabulary {
  readonly words: readonly TaskWord[];
  readonly names: readonly string[];
  readonly #words: ReadonlyMap<string, number>;
  readonly #names: ReadonlyMap<string, number>;
  readonly #meanings = new Map<string, Meaning>();

  constructor({ words, identifiers }: Pick<ReadTask, 'words' | 'identifiers'>) {
    this.words = words;
    this.names = identifiers;
    this.#words = new Map(words.map(({ stem }, index) => [stem, index]));
    this.#names = new Map(identifiers.map((name, index) => [name, index]));
  }

  /** It stands in texts many times, and is looked at once. */
  meaningOf(identifier: string): Meaning {
    let meaning = this.#meanings.get(identifier);
    if (!meaning) this.#meanings.set(identifier, (meaning = this.#lookUp(identifier)));
    return meaning;
  }

  #lookUp(identifier: string): Meaning {
    const words = [...new Set(this.wordsIn(identifier))];
    const name = this.#names.get(identifier) ?? -1;
    return words.length === 0 && name < 0 ? nothing : { words, name };
  }

  /** Numbers of the words in a text, as often as they stand there. */
  wordsIn(text: string): number[] {
    return identifierParts(text).flatMap((part) => this.#words.get(stem(part)) ?? []);
  }
}
