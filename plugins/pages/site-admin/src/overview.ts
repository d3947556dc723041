import { Directory, navigationOrder } from '@sextant/contracts';
import { ServerState } from '@sextant/core';
import type { LoggedError, ServiceStatus, SlowCall } from '@sextant/core';
import { ago, byteSize, card, count, facts, html, notice, table, tag } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { adminPage, root } from './admin-page.ts';
import { failuresIn, titleOf } from './failures.ts';

export const overview = adminPage({
  name: 'site-admin',
  title: 'Site admin',
  path: '',
  order: navigationOrder.administration,
  needs: { state: ServerState, directory: Directory },
  async body({ services: { state, directory } }) {
    const all = state.plugins();
    const failed = all.filter(({ reason }) => reason !== undefined);
    const notServed = failuresIn(state).length;
    const [people, { version, startedAt, residentBytes, disk }] = await Promise.all([
      directory.list(),
      state.process(),
    ]);
    return html`<h1>Site admin</h1>
      ${state.configurationError() !== undefined && notice('danger', html`The configuration file as it stands is not in force. <a href=${`${root}/configuration`}>See why</a>`)}
      ${failed.length > 0 && notice('danger', html`${count(failed.length, 'plugin')} failed. <a href=${`${root}/plugins`}>See why</a>`)}
      ${notServed > 0 && notice('danger', html`${count(notServed, 'failure')} of repositories and services. <a href=${`${root}/repositories`}>See why</a>`)}
      ${card({
        title: 'This server',
        body: facts({
          Version: version,
          Started: ago(startedAt),
          Memory: byteSize(residentBytes),
          'Free disk': `${byteSize(disk.freeBytes)} of ${byteSize(disk.bytes)}`,
          Users: people.filter(({ isServiceAccount }) => !isServiceAccount).length,
          'Service accounts': people.filter(({ isServiceAccount }) => isServiceAccount).length,
          'Plugins running': all.length - failed.length,
          Tools: all.flatMap(({ tools }) => tools).length,
        }),
      })}
      <h2>Last errors and warnings</h2>
      ${table<LoggedError>({ caption: 'Last errors and warnings', columns: errorColumns, rows: state.errors(), empty: 'No error since this server started.' })}
      <h2>Slowest calls of the last hour</h2>
      ${table<SlowCall>({ caption: 'Slowest calls of the last hour', columns: callColumns, rows: state.slowestCalls(), empty: 'No call took longer than 100 ms.' })}
      <h2>Services</h2>
      <div class="tiles">${Object.entries(state.services()).map(([name, status]) => card({ title: titleOf(name), aside: stateTag(status), body: detailOf(status) }))}</div>`;
  },
});

const errorColumns = [
  { title: 'When', cell: ({ time }: LoggedError) => ago(time) },
  {
    title: 'What',
    cell: ({ message, about, isWarning }: LoggedError) =>
      html`${isWarning && [tag('Warning', 'warning'), ' ']}${message}${about !== undefined && html` <small class="quiet">${about}</small>`}`,
  },
  { title: 'Id in the log', cell: ({ id }: LoggedError) => id !== undefined && html`<code>${id}</code>` },
];

const callColumns = [
  { title: 'Call', cell: ({ name }: SlowCall) => name },
  { title: 'Took', cell: ({ milliseconds }: SlowCall) => tookOf(milliseconds) },
  { title: 'Processor', cell: ({ processorMilliseconds }: SlowCall) => tookOf(processorMilliseconds) },
  { title: 'When', cell: ({ startedAt }: SlowCall) => ago(startedAt) },
  { title: 'Id in the log', cell: ({ requestId }: SlowCall) => html`<code>${requestId}</code>` },
];

export const tookOf = (milliseconds: number): string =>
  milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;

const stateTag = ({ isReady }: ServiceStatus): Content => (isReady ? tag('Ready', 'success') : tag('Working', 'info'));

const detailOf = ({ detail }: ServiceStatus): Content => {
  const entries = Object.entries(detail).filter(([, value]) => !isEmpty(value));
  return entries.length === 0
    ? undefined
    : facts(Object.fromEntries(entries.map(([name, value]) => [wordsOf(name), shown(value)])));
};

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

/** `failuresInARow` as `Failures in a row`. */
const wordsOf = (name: string): string =>
  titleOf(name.replace(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, ' ').toLowerCase());

function shown(value: unknown): Content {
  if (typeof value === 'number') return value.toLocaleString('en');
  if (typeof value !== 'string') return JSON.stringify(value);
  return isTime.test(value) ? ago(value) : value;
}

/** RFC 3339. */
const isTime = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
