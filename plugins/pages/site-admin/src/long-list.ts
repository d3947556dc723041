import { SextantError, isSextantError } from '@sextant/core';
import { button, choice, csrfField, field, html, linkButton, pagination, select } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { countField, root } from './admin-page.ts';

export interface LongList<Row> {
  /** Of its page, below `/site-admin`. */
  readonly path: string;
  readonly rows: readonly Row[];
  /** What a part of is looked for, in any case. */
  textOf(row: Row): string;
  /** Kinds of rows by their titles, and whether a row is of one. The first is all of them. */
  readonly kinds: Readonly<Record<string, (row: Row) => boolean>>;
  /** What rows are sorted by, by the titles of columns. Rows without a value come last. */
  readonly sorts?: Readonly<Record<string, (row: Row) => string | number | undefined>>;
}

export interface ListPage<Row> {
  readonly rows: readonly Row[];
  /** The form that narrows the list. */
  readonly form: Content;
  /** The way to the other pages. */
  readonly pages: Content;
  /** How many rows `asked` leaves, of which the page shows some. */
  readonly matching: number;
  readonly asked: Readonly<Record<string, string>>;
  /** The key of their order, where there is one. */
  readonly order: Readonly<Record<string, string>>;
  /** What the heading of a column says: the way to the list in its order, where there is one. */
  heading(title: string): Content;
}

const perPage = 100;
const longestText = 200;

/** A part of a list of any length: what `?find=` and `?kind=` leave of it, a page at a time. */
export function pageOf<Row>(query: URLSearchParams, list: LongList<Row>): ListPage<Row> {
  const { path, rows, kinds, sorts = {} } = list;
  const { text, kind, sort, isDown, matching } = matchingIn(query, list);
  const [all = '', ...others] = Object.keys(kinds);
  const last = Math.max(1, Math.ceil(matching.length / perPage));
  const wanted = /^\d{1,7}$/.test(query.get('page') ?? '') ? Number(query.get('page')) : 1;
  const page = Math.min(Math.max(1, wanted), last);
  const asked = { ...(text && { find: text }), ...(kind !== all && { kind }) };
  const order = Object.hasOwn(sorts, sort) ? { sort: `${isDown ? '-' : ''}${sort}` } : {};
  const address = (more: Record<string, string>): string =>
    `${root}${path}?${new URLSearchParams({ ...asked, ...more })}`;
  const at = (number: number): string => address({ ...order, page: String(number) });
  const first = (page - 1) * perPage;
  const shown = matching.slice(first, first + perPage);
  return {
    rows: shown,
    matching: matching.length,
    asked,
    order,
    form: html`<form method="get" action=${root + path} class="row filters" role="search">
      ${field({ label: 'Part of the name', name: 'find', type: 'search', value: text, autocomplete: 'off' })}
      ${select({ label: 'Show', name: 'kind', options: Object.fromEntries([all, ...others].map((one) => [one, one])), value: kind, isSubmitting: true })}
      ${button('Find', { kind: 'plain' })} ${Object.keys(asked).length > 0 && linkButton('Clear', root + path, { kind: 'plain' })}
      <span class="quiet">${matching.length === rows.length ? `${rows.length.toLocaleString('en')} in all` : `${matching.length.toLocaleString('en')} of ${rows.length.toLocaleString('en')}`}</span>
    </form>`,
    pages: pagination({
      ...(page > 1 && { previous: at(page - 1) }),
      ...(page < last && { next: at(page + 1) }),
      position: `${(first + 1).toLocaleString('en')}–${(first + shown.length).toLocaleString('en')} of ${matching.length.toLocaleString('en')}`,
    }),
    heading(title) {
      if (!Object.hasOwn(sorts, title)) return title;
      const isUp = title === sort && !isDown;
      const mark = title === sort ? (isUp ? ' ↑' : ' ↓') : '';
      return html`<a href=${address({ sort: isUp ? `-${title}` : title })} aria-label=${`Sort by ${title}`}>${title}${mark}</a>`;
    },
  };
}

/** The rows that a query leaves, in its order. */
function matchingIn<Row>(query: URLSearchParams, { rows, textOf, kinds, sorts = {} }: LongList<Row>) {
  const text = (query.get('find') ?? '').trim().slice(0, longestText);
  const [all = '', ...others] = Object.keys(kinds);
  const kind = others.find((one) => one === query.get('kind')) ?? all;
  const part = text.toLowerCase();
  const [, down, sort = ''] = /^(-?)(.*)$/.exec(query.get('sort') ?? '') ?? [];
  const isDown = down === '-';
  const found = rows.filter((row) => textOf(row).toLowerCase().includes(part) && kinds[kind]?.(row));
  const matching = sorted(found, Object.hasOwn(sorts, sort) ? sorts[sort] : undefined, isDown);
  return { text, kind, sort, isDown, matching };
}

function sorted<Row>(
  rows: readonly Row[],
  valueOf: ((row: Row) => string | number | undefined) | undefined,
  isDown: boolean,
): readonly Row[] {
  if (!valueOf) return rows;
  const valued = rows.map((row) => ({ row, value: valueOf(row) }));
  const sign = isDown ? -1 : 1;
  const compared = valued.toSorted((a, b) => {
    if (a.value === undefined || b.value === undefined)
      return Number(a.value === undefined) - Number(b.value === undefined);
    return sign * (a.value < b.value ? -1 : Number(a.value > b.value));
  });
  return compared.map(({ row }) => row);
}

/** The form of what is done with the rows that are chosen; their boxes name it, because forms do not nest. */
const chosenRows = 'chosen';

/** The box that chooses a row. */
export const chooser = (value: string, content: Content, title = value): Content =>
  html`<div class="chosen"><input type="checkbox" form=${chosenRows} name="name" value=${value} aria-label=${`Choose ${title}`} /><span>${content}</span></div>`;

/** The box that chooses all rows of the page, which needs a script. */
export const choosesAll = html`<input type="checkbox" data-chooses=${chosenRows} aria-label="Choose all on this page" hidden />`;

interface ChosenForm {
  readonly csrfToken: string;
  /** What there is to choose. */
  readonly list: Pick<ListPage<unknown>, 'rows' | 'matching' | 'asked' | 'order'>;
  /** Of the action, below `/site-admin`. */
  readonly path: string;
  readonly text: string;
  readonly kind: 'danger' | 'plain';
  /** More buttons. */
  readonly others?: Content;
}

/** What is done with all rows that are chosen. */
export const chosenForm = ({ csrfToken, list, path, text, kind, others }: ChosenForm): Content =>
  html`<form id=${chosenRows} method="post" class="row" action=${root + path} aria-label="With those that are chosen">
    ${Object.entries({ ...list.asked, ...list.order, [countField]: String(list.matching), [csrfField]: csrfToken }).map(([name, value]) => html`<input type="hidden" name=${name} value=${value} />`)}
    <span class="quiet">Those that are chosen:</span>
    ${list.matching > list.rows.length && choice({ type: 'checkbox', name: 'all', value: '1', label: `All ${list.matching.toLocaleString('en')} of this list` })}
    ${button(text, { kind, isSmall: true, label: `${text}: all chosen` })} ${others}
  </form>`;

/** What rows of a list are chosen from, and what is done with them. */
interface Choosing<Row> {
  /** What rows are called. */
  readonly what: string;
  list(): Promise<LongList<Row>>;
  nameOf(row: Row): string;
  /** Whether a row is meant by whoever chooses all. Absent for all of them. */
  readonly isMeant?: (row: Row) => boolean;
  /** Why no row is meant. */
  readonly whyNone?: string;
  act(name: string, options: { readonly isOfAll: boolean }): Promise<unknown>;
  readonly signal: AbortSignal;
}

/**
 * Acts on what was chosen, one after another: some rows, or all that the form names. Throws `invalid_argument` for
 * nothing and for a list that is unknown, `conflict` for a list that is not what the page showed, and what an act throws.
 */
export async function actOnChosen<Row>(fields: URLSearchParams, choosing: Choosing<Row>): Promise<void> {
  const isOfAll = fields.has('all');
  const names = isOfAll ? await allOf(fields, choosing) : fields.getAll('name');
  if (names.length === 0) throw new SextantError('invalid_argument', `choose ${choosing.what} in the list first`);
  for (const [done, name] of names.entries()) {
    choosing.signal.throwIfAborted();
    try {
      await choosing.act(name, { isOfAll });
    } catch (error) {
      if (done === 0 || !isSextantError(error)) throw error;
      const message = `${error.message}; before ${name} it was done with ${done.toLocaleString('en')} of ${names.length.toLocaleString('en')}`;
      throw new SextantError(error.code, message, { cause: error });
    }
  }
}

async function allOf<Row>(fields: URLSearchParams, choosing: Choosing<Row>): Promise<readonly string[]> {
  const list = await choosing.list();
  const kind = fields.get('kind');
  if (kind !== null && !Object.hasOwn(list.kinds, kind))
    throw new SextantError('invalid_argument', `there is no list of "${kind.slice(0, 40)}"; choose in the list below`);
  const { matching } = matchingIn(fields, list);
  if (fields.get(countField) !== String(matching.length))
    throw new SextantError(
      'conflict',
      `the list has changed and has ${matching.length.toLocaleString('en')} rows now; look at it and choose again`,
    );
  const { isMeant = () => true, whyNone = '', nameOf } = choosing;
  const meant = matching.filter(isMeant);
  if (meant.length === 0 && matching.length > 0) throw new SextantError('invalid_argument', whyNone);
  return meant.map(nameOf);
}
