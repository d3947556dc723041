export { asLines, chunksOf, rankedLines, shownLines } from './chunks.ts';
export type { ShownLines } from './chunks.ts';
export { BestLine, definitionIn } from './line-score.ts';
export type { DocumentSource } from './lines.ts';
export {
  countLines,
  firstMatches,
  linesToRateIn,
  matchedLines,
  noLinesToRate,
  withoutLettersInLongLines,
} from './matched-lines.ts';
export type { LineMatches } from './matched-lines.ts';
export { termsNeeded } from './phrase.ts';
export { explainFile, fileScore, nameScore, shallowness } from './score.ts';
export type { FileFacts } from './score.ts';
export { SearchTerms } from './search-terms.ts';
export type { Term } from './search-terms.ts';
export { showLine } from './shown-line.ts';
export { beyondASCII, indexedText, textBetween } from './text.ts';
export {
  classWeights,
  fileGains,
  passageWeights,
  pathClassWeights,
  questionLimits,
} from './keyword-weights.ts';
