import { tabs } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { addressOf } from './asked.ts';
import type { Asked } from './asked.ts';
import { filtersIn, isUnknownTo, withoutFilters } from './filters.ts';

const kinds = [
  ['file', 'Code'],
  ['symbol', 'Symbols'],
  ['path', 'Files'],
  ['repo', 'Repositories'],
  ['commit', 'Commits'],
  ['diff', 'Changes'],
] as const;

export const isKind = (filter: string): boolean => /^type:/i.test(filter);

/** The kind of results that a query asks for, as its filter says it. */
export const kindOf = (query: string): string =>
  filtersIn(query)
    .find(({ text }) => isKind(text))
    ?.text.slice('type:'.length)
    .toLowerCase() ?? 'file';

/** The kinds of results that a query may ask for, each with the query for it. */
export function kindTabs(asked: Asked): Content {
  const current = kindOf(asked.query);
  const items = kinds.map(([kind, title]) => ({
    title,
    path: addressOf(
      asked,
      kind === current ? {} : { query: queryFor(kind, asked.query), mode: 'keyword', kind: undefined },
    ),
    isCurrent: kind === current,
  }));
  return tabs('Kinds of results', items);
}

/** The query for results of a kind, without filters that are for other kinds. */
function queryFor(kind: (typeof kinds)[number][0], query: string): string {
  const subject = kind === 'commit' || kind === 'diff' ? 'history' : 'files';
  // The kind comes last: without it filters of history are not told from text.
  const rest = withoutFilters(
    withoutFilters(query, (text) => isUnknownTo(subject, text)),
    isKind,
  );
  return kind === 'file' ? rest : `type:${kind} ${rest}`.trim();
}
