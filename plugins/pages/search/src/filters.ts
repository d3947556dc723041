import { escapeRegExp } from '@sextant/core';
import { filterAliases } from '@sextant/contracts';

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
