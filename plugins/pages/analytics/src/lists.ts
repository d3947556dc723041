import type { CreditBucket, NamedTally, Tally, UsageOverview } from '@sextant/contracts';
import { card, html } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { duration, meanTime, number, percent } from './numbers.ts';

interface Listed extends Tally {
  readonly name: string;
}

const mostListed = 10;

/** Who and what made most calls in the period. */
export const topLists = (overview: UsageOverview, isOfEveryone: boolean): Content[] => [
  ...(isOfEveryone
    ? [
        topList(
          'Users',
          overview.users.map(({ user, ...tally }) => ({
            ...tally,
            name: user.name || `User ${user.id} (gone)`,
          })),
        ),
      ]
    : []),
  topList('Tools', summed(overview.tools)),
  topList('Clients', summed(overview.clients, 'unnamed')),
  topList('Pages and reports', summed(overview.views)),
];

/** One line for each on a phone too: what the cards of other tables would make of four lists is a page of ten screens. */
function topList(title: string, rows: readonly Listed[]): Content {
  const most = Math.max(...rows.map(({ calls }) => calls));
  const line = (row: Listed): Content =>
    html`<tr>
      <th scope="row">${breakable(row.name)}</th>
      <td>${number(row.calls)}${bar(row.calls / most)}</td>
      <td>${percent(row.errors, row.calls)}</td>
      <td>${duration(meanTime(row))}</td>
    </tr>`;
  return html`<section class="card list">
    <table>
      <caption>${title}</caption>
      <thead><tr><th scope="col">Name</th>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
      <tbody>${rows.map(line)}</tbody>
    </table>
    ${rows.length === 0 && html`<p class="quiet">None in this period.</p>`}
  </section>`;
}

/** Long names go on in the next line after a sign that divides them, not within a word. */
const breakable = (name: string): Content => name.split(/(?<=[-_./])/).map((part) => [part, html`<wbr />`]);

const columns = ['Calls', 'Errors', 'Time'];

/** The names with most calls, over all spans together. */
function summed(tallies: readonly NamedTally[], nameless = ''): Listed[] {
  const sums = new Map<string, Listed>();
  for (const { name, calls, errors, milliseconds, credits } of tallies) {
    const so = sums.get(name) ?? {
      calls: 0,
      errors: 0,
      milliseconds: 0,
      credits: 0,
    };
    sums.set(name, {
      name: name || nameless,
      calls: so.calls + calls,
      errors: so.errors + errors,
      milliseconds: so.milliseconds + milliseconds,
      credits: so.credits + credits,
    });
  }
  return [...sums.values()].toSorted((a, b) => b.calls - a.calls).slice(0, mostListed);
}

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
