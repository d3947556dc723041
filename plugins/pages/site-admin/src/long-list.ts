import { button, html, linkButton, pagination, select } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { root } from './admin-page.ts';

export interface LongList<Row> {
  /** Of its page, below `/site-admin`. */
  readonly path: string;
  readonly rows: readonly Row[];
  /** What a part of is looked for, in any case. */
  textOf(row: Row): string;
  /** Kinds of rows by their titles, and whether a row is of one. The first is all of them. */
  readonly kinds: Readonly<Record<string, (row: Row) => boolean>>;
}

export interface ListPage<Row> {
  readonly rows: readonly Row[];
  /** The form that narrows the list. */
  readonly form: Content;
  /** The way to the other pages. */
  readonly pages: Content;
}

const perPage = 100;
const longestText = 200;

/** A part of a list of any length: what `?find=` and `?kind=` leave of it, a page at a time. */
export function pageOf<Row>(query: URLSearchParams, { path, rows, textOf, kinds }: LongList<Row>): ListPage<Row> {
  const text = (query.get('find') ?? '').trim().slice(0, longestText);
  const [all = '', ...others] = Object.keys(kinds);
  const kind = others.find((one) => one === query.get('kind')) ?? all;
  const matching = rows.filter((row) => textOf(row).toLowerCase().includes(text.toLowerCase()) && kinds[kind]?.(row));
  const last = Math.max(1, Math.ceil(matching.length / perPage));
  const wanted = /^\d{1,7}$/.test(query.get('page') ?? '') ? Number(query.get('page')) : 1;
  const page = Math.min(Math.max(1, wanted), last);
  const asked = { ...(text && { find: text }), ...(kind !== all && { kind }) };
  const at = (number: number): string => `${root}${path}?${new URLSearchParams({ ...asked, page: String(number) })}`;
  const first = (page - 1) * perPage;
  const shown = matching.slice(first, first + perPage);
  return {
    rows: shown,
    form: html`<form method="get" action=${root + path} class="row filters" role="search">
      <input type="search" class="short" name="find" value=${text} aria-label="Part of the name" placeholder="Part of the name" autocapitalize="none" spellcheck="false" />
      ${select({ label: 'Show', name: 'kind', options: Object.fromEntries([all, ...others].map((one) => [one, one])), value: kind, isSubmitting: true })}
      ${button('Find', { kind: 'plain' })} ${Object.keys(asked).length > 0 && linkButton('Clear', root + path, { kind: 'plain' })}
      <span class="quiet">${matching.length === rows.length ? rows.length.toLocaleString('en') : `${matching.length.toLocaleString('en')} of ${rows.length.toLocaleString('en')}`}</span>
    </form>`,
    pages: pagination({
      ...(page > 1 && { previous: at(page - 1) }),
      ...(page < last && { next: at(page + 1) }),
      position: `${first + 1}–${first + shown.length} of ${matching.length.toLocaleString('en')}`,
    }),
  };
}
