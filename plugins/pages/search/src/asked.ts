import { defaultSearchLimits } from '@sextant/contracts';
import type { SearchRequest } from '@sextant/contracts';
import { isQuestion } from './question.ts';

/** What the address asks for. */
export interface Asked {
  readonly query: string;
  readonly mode: SearchRequest['mode'];
  /** Files to show. */
  readonly show: number;
  /** Whether results say why they stand where they do. */
  readonly explains: boolean;
  /** Of a search for symbols: the kind of definition that is wanted alone. */
  readonly kind: string | undefined;
}

/**
 * A part of the page that a script asks for, or the whole page however long its results take. `coloured` are the results
 * again where the page did not wait for their colours.
 */
export type Part = 'facets' | 'results' | 'coloured' | 'all';

/** The page shows no more files than this, whatever its address asks for. */
export const mostFilesOnPage = 100;

export function askedIn(search: URLSearchParams): Asked {
  const query = search.get('q')?.trim() ?? '';
  const mode = search.get('mode');
  const show = Number(search.get('show') ?? defaultSearchLimits.files);
  return {
    query,
    mode: mode === 'natural' || mode === 'keyword' ? mode : usualMode(query),
    explains: search.has('why'),
    kind: /^[a-z ]{1,30}$/.exec(search.get('kind') ?? '')?.[0],
    show: Number.isInteger(show) ? Math.min(Math.max(1, show), mostFilesOnPage) : defaultSearchLimits.files,
  };
}

/** How a query is answered unless the address says it. */
const usualMode = (query: string): Asked['mode'] => (isQuestion(query) ? 'natural' : 'keyword');

/** The address that asks for something, with some of it changed. */
export function addressOf(asked: Asked, change: Partial<Asked> & { format?: 'csv'; part?: Part } = {}): string {
  const { query, mode, show, explains, kind, format, part } = {
    ...asked,
    format: undefined,
    part: undefined,
    ...change,
  };
  const isMore = show !== defaultSearchLimits.files && change.query === undefined;
  return `/search?${new URLSearchParams({
    q: query,
    ...(mode !== usualMode(query) && { mode }),
    ...(isMore && { show: String(show) }),
    ...(explains && { why: '1' }),
    ...(kind !== undefined && { kind }),
    ...(format && { format }),
    ...(part && { part }),
  })}`;
}
