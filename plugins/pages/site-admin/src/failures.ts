import type { ServerState, ServiceFailure } from '@sextant/core';
import { ago, html, table, until } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';

/** More would make a page that nobody reads; `/readyz` tells all. */
const mostShown = 500;

/** What a service cannot serve, by the name of its token. */
export interface Failure extends ServiceFailure {
  readonly service: string;
}

/** Everything that cannot be served, of all services, while the rest is. */
export const failuresIn = (state: ServerState): Failure[] =>
  Object.entries(state.services()).flatMap(([service, { failures = [] }]) =>
    failures.map((failure) => ({ service, ...failure })),
  );

/** `search-index` as people read it. */
export const titleOf = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' ');

/** More of them would push away what stands below, and are folded. */
const mostUnfolded = 10;

/** Each with its reason; nothing where all is well. */
export const failureTable = (failures: readonly Failure[]): Content =>
  failures.length > 0 &&
  html`<details class="stack" open=${failures.length <= mostUnfolded}>
    <summary><h2>Needs attention: ${failures.length.toLocaleString('en')}</h2></summary>
    ${table<Failure>({ caption: 'Needs attention', columns, rows: failures.slice(0, mostShown), empty: '' })}
    ${
      failures.length > mostShown &&
      html`<p class="quiet">These are the first ${mostShown} of ${failures.length.toLocaleString('en')}; <code>/readyz</code> tells all.</p>`
    }
  </details>`;

const columns = [
  {
    title: 'Name',
    cell: ({ name, service }: Failure) =>
      html`<span class="strong">${name}</span> <small class="quiet">${titleOf(service)}</small>`,
  },
  { title: 'Reason', cell: ({ reason }: Failure) => reason },
  { title: 'Since', cell: ({ since }: Failure) => since !== undefined && ago(since) },
  { title: 'Next try', cell: ({ nextTry }: Failure) => nextTry !== undefined && until(nextTry) },
];
