import { filterAliases } from '@sextant/contracts';
import type { SearchResult } from '@sextant/contracts';

/** A filter as it stands in a query. */
export interface Filter {
  readonly text: string;
  /** The query without it. */
  readonly without: string;
}

/** Filters with the names that a query for history, or one for files, may use. */
const expressionOf = (isHistory: boolean): RegExp =>
  new RegExp(String.raw`(?<![^\s(])-?(?:${filterAliases(isHistory).join('|')}):(?:"(?:[^"\\]|\\.)*"|[^\s()]+)`, 'gi');
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

const mostSuggested = 8;

/** Filters that would narrow these results, what they have most of first. */
export function suggestedFilters({ files, type }: SearchResult, query: string): string[] {
  if (type === 'repo' || files.length < 2) return [];
  const repositories = mostly(files.map(({ repo }) => `repo:^${escapeRegExp(repo)}$`));
  const extensions = mostly(files.flatMap(({ path }) => extensionOf(path) ?? [])).map(
    (extension) => `file:\\.${extension}$`,
  );
  const tests = files.some(({ path }) => /(^|[/._-])tests?([/._-]|$)/i.test(path)) ? ['-file:test'] : [];
  const narrowing = [
    ...(repositories.length > 1 ? repositories : []),
    ...(extensions.length > 1 ? extensions : []),
    ...tests,
  ];
  return narrowing.filter((text) => !query.includes(text)).slice(0, mostSuggested);
}

const extensionOf = (path: string): string | undefined => /\.([a-z0-9]{1,8})$/i.exec(path)?.[1];

/** Each once, the one that stands there most often first; four at most. */
function mostly(texts: readonly string[]): string[] {
  const counts = Map.groupBy(texts, (text) => text);
  return [...counts.entries()]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .slice(0, 4)
    .map(([text]) => text);
}

const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|\s"]/g, String.raw`\$&`);
