export { canBeDefined, definitionWeight, definitionWords, mayBeDefined } from './definitions.ts';
export { piecesIn, runsIn } from './message.ts';
export type { Run } from './message.ts';
export { pathClass, pathClasses, pathRules } from './path-class.ts';
export type { PathClass } from './path-class.ts';
