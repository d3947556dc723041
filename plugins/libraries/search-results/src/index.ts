export { chunksOf, cut } from './chunks.ts';
export type { Chunk, ChunkLimits, RatedLine } from './chunks.ts';
export { canBeDefined, definitionWeight } from './definition.ts';
export { definitionWords, mayBeDefined } from './definition-signs.ts';
export { languageNames, languagePattern } from './languages.ts';
export { piecesIn, runsIn } from './message.ts';
export type { Run } from './message.ts';
export { classWeight, pathClass, pathClasses, pathRules, pathWeight } from './path-class.ts';
export type { PathClass } from './path-class.ts';
export {
  differentTexts,
  fileScore,
  isWithinWord,
  lineWeight,
  nameWeight,
  wholeNameWeight,
  scoreFile,
  scorePath,
  shallowness,
} from './score.ts';
export type { Scored } from './score.ts';
export { counts, isLetter, isNext, isWord, mostInRow, shareDefined, textsNeeded, WordsInRow } from './words-in-row.ts';
export type { MatchPlace, WordRow } from './words-in-row.ts';
