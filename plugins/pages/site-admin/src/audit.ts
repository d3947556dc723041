import { Audit, navigationOrder } from '@sextant/contracts';
import type { AuditFilter, AuditPage, RecordedEvent } from '@sextant/contracts';
import { csvLines, definePage, isSextantError } from '@sextant/core';
import { button, field, html, linkButton, pagination, select, table, tag } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { access, adminPage, root } from './admin-page.ts';

const path = '/audit';
const csvPath = '/audit.csv';
const perPage = 100;
const exportedAtOnce = 1000;
const filterNames = ['since', 'until', 'action', 'outcome', 'actor', 'about'] as const;
const outcomes = { '': 'All', failure: 'Failures', success: 'Successes' };

export const audit = adminPage({
  name: 'site-admin-audit',
  title: 'Audit log',
  path,
  order: navigationOrder.audit,
  needs: { audit: Audit },
  async body({ services, url: { searchParams } }) {
    const found = await services.audit.list(filterFrom(searchParams)).catch((error: unknown) => problemOf(error));
    return html`<div>
        <h1>Audit log</h1>
        <p class="quiet">Sign-ins, tokens, clients, roles and refused calls. Nothing here can be changed.</p>
      </div>
      ${filters(searchParams)}
      ${
        typeof found === 'string'
          ? html`<p class="mistake" role="alert">${found}</p>`
          : [
              table<RecordedEvent>({
                caption: 'Events',
                columns: columnsOf(searchParams),
                rows: found.events,
                empty: found.next === undefined ? 'No such event is recorded.' : 'No such event so far.',
              }),
              isCutShort(found) &&
                html`<p class="quiet">Older events were not searched yet: go on to the next page.</p>`,
              older(searchParams, found),
            ]
      }`;
  },
});

/** All events that a filter leaves, as a file for a spreadsheet (RFC 4180), read some at a time. */
export const auditExport = definePage({
  name: 'site-admin-audit-export',
  method: 'GET',
  path: root + csvPath,
  access,
  needs: { audit: Audit },
  async respond(request, { audit: log }) {
    const filter = filterFrom(new URL(request.url).searchParams);
    // Before the answer begins: a filter that is wrong is refused.
    const first = await log.list({ ...filter, limit: exportedAtOnce });
    const pages = eventPages(log, filter, first);
    const encoder = new TextEncoder();
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { value, done } = await pages.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
      cancel: async () => void (await pages.return(undefined)),
    });
    return new Response(body, {
      headers: {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': 'attachment; filename="audit.csv"',
        'cache-control': 'no-store',
      },
    });
  },
});

async function* eventPages(
  log: Pick<Audit, 'list'>,
  filter: AuditFilter,
  first: AuditPage,
): AsyncGenerator<string, void> {
  yield csvLines([['Id', 'Time', 'Action', 'Outcome', 'User', 'User id', 'Address', 'Client', 'Target', 'Detail']]);
  for (let { events, next } = first; ; ) {
    yield csvLines(events.map(rowOf));
    if (next === undefined) return;
    ({ events, next } = await log.list({ ...filter, before: next, limit: exportedAtOnce }));
  }
}

const rowOf = ({ id, time, action, outcome, actor, address, client, target, detail }: RecordedEvent): string[] => [
  String(id),
  time,
  action,
  outcome,
  actor?.name ?? '',
  actor ? String(actor.id) : '',
  address ?? '',
  client ?? '',
  target ?? '',
  detail ?? '',
];

const givenIn = (query: URLSearchParams): [string, string][] =>
  filterNames.flatMap((name): [string, string][] => {
    const value = query.get(name)?.trim() ?? '';
    return value === '' ? [] : [[name, value]];
  });

function filterFrom(query: URLSearchParams): AuditFilter {
  const before = /^\d{1,15}$/.exec(query.get('before') ?? '');
  const given = { ...Object.fromEntries(givenIn(query)), outcome: outcomeIn(query) };
  return { ...given, limit: perPage, ...(before && { before: Number(before[0]) }) };
}

const outcomeIn = (query: URLSearchParams): AuditFilter['outcome'] =>
  (['failure', 'success'] as const).find((outcome) => outcome === query.get('outcome'));

const filters = (query: URLSearchParams): Content =>
  html`<form method="get" action=${root + path} class="row filters">
    ${field({ label: 'Since', name: 'since', type: 'date', value: query.get('since') ?? '' })}
    ${field({ label: 'Until', name: 'until', type: 'date', value: query.get('until') ?? '' })}
    ${field({ label: 'Action', name: 'action', value: query.get('action') ?? '', autocomplete: 'off' })}
    ${field({ label: 'User', name: 'actor', value: query.get('actor') ?? '', autocomplete: 'off' })}
    ${select({ label: 'Outcome', name: 'outcome', options: outcomes, value: outcomeIn(query) ?? '', isSubmitting: true })}
    ${field({ label: 'About', name: 'about', type: 'search', value: query.get('about') ?? '', autocomplete: 'off' })}
    ${button('Filter', { kind: 'plain' })}
    ${filterNames.some((name) => query.get(name)) && linkButton('Clear', root + path, { kind: 'plain' })}
    ${linkButton('Download as CSV', `${root}${csvPath}?${new URLSearchParams(givenIn(query))}`, { kind: 'plain' })}
  </form>`;

/** The newest events that the filter leaves, with some of it changed. */
const addressWith = (query: URLSearchParams, change: Readonly<Record<string, string>>): string =>
  `${root}${path}?${new URLSearchParams({ ...Object.fromEntries(givenIn(query)), ...change })}`;

const isCutShort = ({ events, next }: AuditPage): boolean => next !== undefined && events.length < perPage;

function older(query: URLSearchParams, { next }: AuditPage): Content {
  const more = new URLSearchParams(query);
  more.set('before', String(next));
  return pagination({
    ...(query.has('before') && { previous: addressWith(query, {}) }),
    ...(next !== undefined && { next: `${root}${path}?${more}` }),
  });
}

const columnsOf = (query: URLSearchParams) => [
  {
    title: 'Time (UTC)',
    cell: ({ time }: RecordedEvent) => html`<time datetime=${time}>${time.slice(0, 19).replace('T', ' ')}</time>`,
  },
  {
    title: 'Action',
    cell: ({ action, outcome }: RecordedEvent) =>
      html`<a class="whole" href=${addressWith(query, { action })}><code>${action}</code></a> ${outcome === 'failure' && tag('Failed', 'danger')}`,
  },
  {
    title: 'User',
    cell: ({ actor }: RecordedEvent) =>
      actor
        ? html`<a href=${addressWith(query, { actor: actor.name })}>${actor.name}</a>`
        : html`<span class="quiet">nobody</span>`,
  },
  { title: 'Address', cell: ({ address }: RecordedEvent) => address },
  { title: 'Client', cell: ({ client }: RecordedEvent) => client },
  { title: 'About', cell: ({ target, detail }: RecordedEvent) => [target, target && detail && ': ', detail] },
];

/** What a person may be told; anything else is a bug and thrown again. */
function problemOf(error: unknown): string {
  if (isSextantError(error)) return error.message;
  throw error;
}
