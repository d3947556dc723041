import { defaultSearchLimits } from '@sextant/contracts';
import type { SearchRequest } from '@sextant/contracts';

/** What the address asks for. */
export interface Asked {
  readonly query: string;
  readonly mode: SearchRequest['mode'];
  /** Files to show. */
  readonly show: number;
}

/** The page shows no more files than this, whatever its address asks for. */
export const mostFilesOnPage = 100;

export function askedIn(search: URLSearchParams): Asked {
  const show = Number(search.get('show') ?? defaultSearchLimits.files);
  return {
    query: search.get('q')?.trim() ?? '',
    mode: search.get('mode') === 'natural' ? 'natural' : 'keyword',
    show: Number.isInteger(show) ? Math.min(Math.max(1, show), mostFilesOnPage) : defaultSearchLimits.files,
  };
}

/** The address that asks for something, with some of it changed. */
export function addressOf(asked: Asked, change: Partial<Asked> = {}): string {
  const { query, mode, show } = { ...asked, ...change };
  const isMore = show !== defaultSearchLimits.files && change.query === undefined;
  return `/search?${new URLSearchParams({
    q: query,
    ...(mode === 'natural' && { mode }),
    ...(isMore && { show: String(show) }),
  })}`;
}
