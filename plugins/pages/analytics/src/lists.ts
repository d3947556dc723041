import type { CreditBucket, NamedTally, Tally } from '@sextant/contracts';
import { card, html } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { addressOf } from './asked.ts';
import type { FilterName } from './asked.ts';
import { changeOf, duration, meanTime, number, percent } from './numbers.ts';
import type { Shown } from './view.ts';

interface Listed extends Tally {
  readonly name: string;
  /** The page narrowed to it. */
  readonly path?: string;
  /** Milliseconds within which nearly all calls ended. */
  readonly p95?: number | undefined;
  /** Calls in the period before; absent where none are known. */
  readonly before?: number | undefined;
}

const mostListed = 10;

/** Who and what made most calls in the period, each beside the period before. */
export function topLists({ overview, before, asked, isOfEveryone }: Shown): Content[] {
  const narrowed = (name: FilterName, rows: readonly Listed[]): Listed[] =>
    rows.map((row) => (row.name === '' ? row : { ...row, path: addressOf(asked, { [name]: row.name }) }));
  const [users, usersBefore] = [overview, before].map((period) =>
    period.users.map(({ user, ...tally }) => ({ ...tally, name: user.name })),
  );
  const compared = (field: 'tools' | 'clients' | 'languages' | 'repositories' | 'views'): Listed[] =>
    withBefore(most(summed(overview[field])), summed(before[field]));
  return [
    ...(isOfEveryone
      ? [topList('Users', narrowed('user', withBefore(users ?? [], usersBefore ?? [])), 'a user who is gone')]
      : []),
    topList(
      'Tools',
      narrowed('tool', compared('tools')).map((row) => ({ ...row, p95: overview.p95?.tools.get(row.name) })),
    ),
    topList('Clients', narrowed('client', compared('clients'))),
    topList('Languages', narrowed('language', compared('languages')), 'no files'),
    ...(overview.repositories.length === 0
      ? []
      : [topList('Repositories', narrowed('repository', compared('repositories')))]),
    topList(
      'Pages and reports',
      compared('views').map((row) => ({ ...row, name: titleOf(row.name) })),
    ),
  ];
}

const withBefore = (rows: readonly Listed[], before: readonly Listed[]): Listed[] => {
  const calls = new Map(before.map((row) => [row.name, row.calls]));
  return rows.map((row) => ({ ...row, before: calls.get(row.name) }));
};

/** `site-admin-users` as people read it. */
const titleOf = (name: string): string => `${name.slice(0, 1).toUpperCase()}${name.slice(1).replaceAll('-', ' ')}`;

/** One line for each on a phone too: what the cards of other tables would make of these lists is a page of ten screens. */
function topList(title: string, rows: readonly Listed[], nameless = 'unnamed'): Content {
  const longest = Math.max(...rows.map(({ calls }) => calls));
  const hasP95 = rows.some(({ p95 }) => p95 !== undefined);
  const line = (row: Listed): Content => {
    const name = row.name === '' ? nameless : breakable(row.name);
    return html`<tr>
      <th scope="row">${row.path === undefined ? name : html`<a href=${row.path}>${name}</a>`}</th>
      <td>${number(row.calls)}${row.before !== undefined && html` <small>${changeOf(row.calls, row.before)}</small>`}${bar(row.calls / longest)}</td>
      <td>${percent(row.errors, row.calls)}</td>
      <td>${duration(meanTime(row))}</td>
      ${hasP95 && html`<td>${row.p95 === undefined ? '–' : duration(row.p95)}</td>`}
    </tr>`;
  };
  return html`<section class="card list">
    <table>
      <caption>${title}</caption>
      <thead><tr><th scope="col">Name</th>${[...columns, ...(hasP95 ? ['95%'] : [])].map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
      <tbody>${rows.map(line)}</tbody>
    </table>
    ${rows.length === 0 && html`<p class="quiet">None in this period.</p>`}
  </section>`;
}

/** Long names go on in the next line after a sign that divides them, not within a word. */
const breakable = (name: string): Content => name.split(/(?<=[-_./])/).map((part) => [part, html`<wbr />`]);

const columns = ['Calls', 'Errors', 'Time'];

/** The names over all spans together, those with most calls first. */
function summed(tallies: readonly NamedTally[]): Listed[] {
  const sums = new Map<string, Listed>();
  for (const { name, calls, errors, milliseconds, credits } of tallies) {
    const so = sums.get(name) ?? {
      calls: 0,
      errors: 0,
      milliseconds: 0,
      credits: 0,
    };
    sums.set(name, {
      name,
      calls: so.calls + calls,
      errors: so.errors + errors,
      milliseconds: so.milliseconds + milliseconds,
      credits: so.credits + credits,
    });
  }
  return [...sums.values()].toSorted((a, b) => b.calls - a.calls);
}

const most = (rows: readonly Listed[]): readonly Listed[] => rows.slice(0, mostListed);

/** What is left of each bucket. */
export const creditsLeft = (buckets: readonly CreditBucket[], isOfEveryone: boolean): Content =>
  buckets.length === 0
    ? undefined
    : card({
        title: isOfEveryone ? 'Credits left' : 'Credits that you used',
        body: html`<ul class="buckets">${buckets.map((bucket) => html`<li>${bucketOf(bucket, isOfEveryone)}</li>`)}</ul>`,
      });

function bucketOf({ name, allocation, consumed, startDate, endDate }: CreditBucket, isOfEveryone: boolean): Content {
  const share = allocation === 0 ? 1 : consumed / allocation;
  const what = isOfEveryone
    ? `${number(allocation - consumed)} of ${number(allocation)} left`
    : `${number(consumed)} of ${number(allocation)}, which everyone shares`;
  return html`<div class="between"><strong>${name}</strong><span>${what}</span></div>
    ${bar(share)}
    <small class="quiet">${startDate} to ${endDate}</small>`;
}

/** Its width is an attribute of SVG: the policy allows no style in a page. */
const bar = (share: number): Content =>
  html`<svg class="share" aria-hidden="true" preserveAspectRatio="none">
    <rect class="whole" width="100%" height="100%" /><rect width=${`${(Math.min(1, share) * 100).toFixed(1)}%`} height="100%" />
  </svg>`;
