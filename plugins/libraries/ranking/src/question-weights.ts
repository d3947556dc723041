import type { PathClass } from './path-class.ts';

export interface BM25Weights {
  /** How slowly further occurrences count less: what a document is about is repeated in it. */
  readonly k1: number;
  /** How much longer documents count less. */
  readonly b: number;
  /** Shorter documents are not better for it; as a share of the average length. */
  readonly leastLength: number;
  readonly fields: Readonly<Record<'folder' | 'name' | 'body' | 'defined', number>>;
}

/** Tuned with test/bench/nls and test/bench/localise. */
export const bm25Weights = {
  /** All files of repositories, for a question. Their definitions are looked for later. */
  files: { k1: 8, b: 0.4, leastLength: 0.1, fields: { folder: 3, name: 8, body: 1, defined: 0 } },
  /** Files that may be the place of a task. Each of them has some of the words, so further occurrences tell less. */
  candidates: { k1: 2, b: 0.8, leastLength: 0.4, fields: { folder: 2.5, name: 8, body: 1, defined: 2 } },
  /** Definitions in files, with the type they belong to as folder and their documentation as definition. */
  symbols: { k1: 2, b: 0.4, leastLength: 0.4, fields: { folder: 2, name: 8, body: 1, defined: 2 } },
  /** Messages of commits. */
  messages: { k1: 1.5, b: 0.75, leastLength: 0, fields: { folder: 0, name: 0, body: 1, defined: 0 } },
} satisfies Record<string, BM25Weights>;

/** What the words of a question count: see `questionWords`. */
export const wordWeights = {
  single: 1,
  /** A word of those who ask: see `isWeakWord`. */
  weak: 0.5,
  /** A word of an identifier that the question has. */
  ofIdentifier: 0.7,
  identifier: 2,
  /** A name that neighbouring words may make up: see `compoundsIn`. */
  compound: 1,
  /** The name of a type that seems to be a plural, beside its singular: it may end with an `s` of its own. */
  plural: 0.5,
  /** What is quoted as a whole, and the name of a file. */
  quoted: 5,
  /** Two neighbouring words of a quotation, or of a message where one of them is a stop word. */
  pair: 1,
  /** Each word of what stands between the values of a message. */
  ofMessage: 2,
  /** What the names of well-known files begin with: see `wellKnownFiles`. */
  wellKnown: 2,
};

/** Most words of a question that are looked for. */
export const mostWords = 24;

/** How much of its score a file of each class keeps where words are asked for. Tests and documents repeat what source says. */
export const classPriors: Readonly<Record<PathClass, number>> = {
  source: 1,
  test: 0.15,
  documentation: 0.15,
  configuration: 0.15,
  example: 0.15,
  generated: 0.1,
  declaration: 0.5,
};
/** Of a class that is asked for. */
export const wantedPrior = 1;
/** A repository consists of a class, such as the templates of an infrastructure, that has so large a share of its files. That class counts as source. */
export const shareOfMainClass = 0.75;
