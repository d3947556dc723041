export { mistakenGlob } from './glob.ts';
export { parseQuery, queryLimits } from './parse.ts';
export { printQuery } from './print.ts';
export { hasRepositoryFilter, repositoryPatterns } from './repository-filters.ts';
export { resultTypes } from './query.ts';
export type { Filter, HistoryFilter, Options, ParsedQuery, Presence, Query, ResultType, Term } from './query.ts';
export { simplify } from './simplify.ts';
export { QuerySyntaxError } from './syntax-error.ts';
