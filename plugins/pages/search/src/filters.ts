import { escapeRegExp } from '@sextant/core';
import { filterAliases, filters } from '@sextant/contracts';

/** A filter as it stands in a query. */
export interface Filter {
  readonly text: string;
  /** The query without it. */
  readonly without: string;
}

/** Filters with the names that a query for history, or one for files, may use. */
const expressionOf = (isHistory: boolean): RegExp =>
  new RegExp(
    String.raw`(?<![^\s(])-?(?:${filterAliases(isHistory).map(escapeRegExp).join('|')}):(?:"(?:[^"\\]|\\.)*"|[^\s()]+)`,
    'gi',
  );
const filter = { files: expressionOf(false), history: expressionOf(true) };
const asksForHistory = /(?<![^\s(])type:(?:commit|diff)(?![^\s()])/i;

/** The filters of a query, in their order; what stands in quotes or behind an escape is text. */
export function filtersIn(query: string): Filter[] {
  const texts = [...query.matchAll(/"(?:[^"\\]|\\.)*"/g)].map(
    ({ 0: text, index }) => [index, index + text.length] as const,
  );
  return [...query.matchAll(asksForHistory.test(query) ? filter.history : filter.files)]
    .filter(({ index }) => !texts.some(([start, end]) => index > start && index < end))
    .map(({ 0: text, index }) => ({
      text,
      without: `${query.slice(0, index)}${query.slice(index + text.length)}`.replace(/\s+/g, ' ').trim(),
    }));
}

/** A query without the filters that are not wanted. */
export function withoutFilters(query: string, isUnwanted: (text: string) => boolean): string {
  const unwanted = filtersIn(query).find(({ text }) => isUnwanted(text));
  return unwanted ? withoutFilters(unwanted.without, isUnwanted) : query;
}

/** Whether a filter means nothing to searches of history, or of files. */
export function isUnknownTo(subject: 'files' | 'history', text: string): boolean {
  const [name = ''] = text.replace(/^-/, '').toLowerCase().split(':', 1);
  return !Object.values(filters).some(({ aliases, subjects }) => aliases.includes(name) && subjects.includes(subject));
}
