import { isSextantError } from '@sextant/core';
import { Audit, navigationOrder } from '@sextant/contracts';
import type { AuditFilter, RecordedEvent } from '@sextant/contracts';
import { button, field, html, linkButton, pagination, table, tag } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { adminPage, root } from './admin-page.ts';

const path = '/audit';
const perPage = 100;
const filterNames = ['since', 'action', 'actor'] as const;

export const audit = adminPage({
  name: 'site-admin-audit',
  title: 'Audit log',
  path,
  order: navigationOrder.audit,
  needs: { audit: Audit },
  async body({ services, url: { searchParams } }) {
    const events = await services.audit.list(filterFrom(searchParams)).catch((error: unknown) => problemOf(error));
    return html`<div>
        <h1>Audit log</h1>
        <p class="quiet">Sign-ins, tokens, clients, roles and refused calls. Nothing here can be changed.</p>
      </div>
      ${filters(searchParams)}
      ${
        typeof events === 'string'
          ? html`<p class="mistake" role="alert">${events}</p>`
          : [
              table<RecordedEvent>({ caption: 'Events', columns, rows: events, empty: 'No such event is recorded.' }),
              older(searchParams, events),
            ]
      }`;
  },
});

function filterFrom(query: URLSearchParams): AuditFilter {
  const given = filterNames.flatMap((name) => {
    const value = query.get(name)?.trim() ?? '';
    return value === '' ? [] : [[name, value]];
  });
  const before = /^\d{1,15}$/.exec(query.get('before') ?? '');
  return { ...Object.fromEntries(given), limit: perPage, ...(before && { before: Number(before[0]) }) };
}

const filters = (query: URLSearchParams): Content =>
  html`<form method="get" action=${root + path} class="row filters">
    ${field({ label: 'Since', name: 'since', type: 'date', value: query.get('since') ?? '' })}
    ${field({ label: 'Action', name: 'action', value: query.get('action') ?? '', autocomplete: 'off' })}
    ${field({ label: 'User', name: 'actor', value: query.get('actor') ?? '', autocomplete: 'off' })}
    ${button('Filter', { kind: 'plain' })}
    ${filterNames.some((name) => query.get(name)) && linkButton('Clear', root + path, { kind: 'plain' })}
  </form>`;

function older(query: URLSearchParams, events: readonly RecordedEvent[]): Content {
  const last = events.at(-1);
  const more = new URLSearchParams(query);
  more.set('before', String(last?.id ?? 0));
  return pagination({
    ...(query.has('before') && { previous: root + path }),
    ...(events.length === perPage && { next: `${root}${path}?${more}` }),
  });
}

const columns = [
  {
    title: 'Time (UTC)',
    cell: ({ time }: RecordedEvent) => html`<time datetime=${time}>${time.slice(0, 19).replace('T', ' ')}</time>`,
  },
  {
    title: 'Action',
    cell: ({ action, outcome }: RecordedEvent) =>
      html`<code>${action}</code> ${outcome === 'failure' && tag('Failed', 'danger')}`,
  },
  { title: 'User', cell: ({ actor }: RecordedEvent) => actor?.name ?? html`<span class="quiet">nobody</span>` },
  { title: 'Address', cell: ({ address }: RecordedEvent) => address },
  { title: 'Client', cell: ({ client }: RecordedEvent) => client },
  { title: 'About', cell: ({ target, detail }: RecordedEvent) => [target, target && detail && ': ', detail] },
];

/** What a person may be told; anything else is a bug and thrown again. */
function problemOf(error: unknown): string {
  if (isSextantError(error)) return error.message;
  throw error;
}
