import { pathClasses } from '@sextant/library-ranking';
import type { PathClass } from '@sextant/library-ranking';

/**
 * The weights and limits of a keyword search, and those of a question that are not of its words: these are in the library
 * `ranking`. `score.ts` holds the formulas. Bounds, levels and the highest score are derived from these numbers.
 */

/** Ranking of a keyword search: see `fileScore`. */
export const fileWeights = {
  /** Each file that matches has it. */
  base: 1,
  /** Each doubling of the number of matching lines. */
  lines: 0.08,
  /** Most lines that count. */
  mostLines: 16,
  /** A path in the root folder, where only paths are wanted. Each folder divides it. */
  shallow: 0.2,
};

/** Ranking of a line with matches: see `lineScore`. */
export const lineWeights = {
  base: 0.2,
  /** The line has a term as a whole word. */
  wholeWord: 0.5,
  /** The line defines a name that is a term. */
  definition: 1.5,
  /** The line defines a longer name that contains a term. */
  partOfDefinition: 0.3,
  /** For each different term of the line, if it has several. */
  besideTerm: 0.1,
  /** Most terms that count. */
  mostBeside: 4,
  /** Each pair of terms that stand in a phrase. */
  phrasePair: 0.5,
  /**
   * Most terms of a phrase that count. A phrase of this length is probably a pasted message, and scores higher than any
   * definition.
   */
  longestPhrase: 5,
  /** Queries with more terms are questions or messages. Names that are made of several terms are not looked for then. */
  mostTermsOfNames: 8,
};

/** How well a path matches the terms: see `nameScore`. */
export const nameWeights = {
  /** The term stands in the name of a folder. */
  folder: 0.2,
  /** The term stands inside a word of the file's name. */
  withinWord: 0.3,
  /** The term begins a word of the file's name. */
  name: 0.5,
  /** The term is the whole name of the file, with or without its extension. */
  whole: 1,
  /**
   * The term has a dot and is the name of a file in the root folder. That file comes before files that mention it.
   */
  wholeInRoot: 5,
};

/** The weight of a file by its class, if text is searched. */
const textClassWeight: Readonly<Record<PathClass, number>> = {
  source: 1,
  test: 0.6,
  documentation: 0.5,
  configuration: 0.5,
  example: 0.5,
  generated: 0.2,
  declaration: 0.7,
};

/** The weight of a file by its class, if only paths are searched. People look for manuals as often as for source. */
const pathClassWeight: Readonly<Record<PathClass, number>> = {
  source: 1,
  test: 0.7,
  documentation: 1,
  configuration: 1,
  example: 0.7,
  generated: 0.2,
  declaration: 1,
};

/** In the order of `pathClasses`, as snapshots keep the class of each file. */
export const classWeights: readonly number[] = pathClasses.map((each) => textClassWeight[each]);
export const pathClassWeights: readonly number[] = pathClasses.map((each) => pathClassWeight[each]);

/** How much of a file is read and kept to rank it. */
export const readLimits = {
  /** First lines with matches that are rated. */
  linesRated: 20,
  /** Lines with several terms that are rated wherever they are. */
  phraseLines: 20,
  /** Matches of a line that are kept. */
  matchesOfLine: 8,
  /** Whole words that are kept of a line that may hold a phrase. The index gives as many: see `TopKSearch.linesOfEach`. */
  wordsOfPhraseLine: 64,
};

/** Factors in the score of a file for a question, besides the weights of words. Tuned with test/bench/nls. */
export const fileGains = {
  /** An occurrence inside another word. */
  insideWord: 0.4,
  /** A file without searchable text, such as a picture. */
  nameOnly: 0.2,
  /** The gain of each file of a repository that a word of the question names. */
  repositoryName: 5,
  /** The gain of a file that defines all words of the question. */
  definitions: 0.25,
};

/** Choosing the lines that are shown for a question: see `passagesIn`. */
export const passageWeights = {
  /** An import: it names much and says nothing. */
  importing: 0.1,
  /** A line that defines a name with a word of the question. */
  definition: 1.5,
  /** A word that names the repository stands anywhere in it. */
  repositoryName: 0.1,
  /** Distance, in lines, at which a word counts a quarter. */
  lines: 4,
  /** Distance, in lines, beyond which a word does not count. */
  mostLines: 16,
};

/** What is read to answer a question. */
export const questionLimits = {
  /** The likeliest files by the index alone, whose text is read. */
  filesRead: 1000,
  /** Blocks of a file that are read for a word. Of more, these stand for all. */
  blocksRead: 16,
  /** About how often a word stands in a block that has it. */
  perBlock: 2,
  /** The best files, in which definitions are looked for. */
  filesWithDefinitions: 30,
  /** Lines of a file in which definitions are looked for. */
  definitionLines: 2000,
  /** Lines of a file that are compared, and the best of them that are kept. */
  passageLines: 1000,
  passagesKept: 50,
  /** Characters of a line that are read. */
  lineCharacters: 256,
};
