import type { Tally, UsageOverview } from '@sextant/contracts';
import { count, html } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { daysIn } from './asked.ts';
import { changeOf, duration, meanTime, number, percent } from './numbers.ts';
import type { Shown } from './view.ts';

/** The period in some numbers, each beside that of the period before. */
export function tiles({ overview, before, asked, isOfEveryone }: Shown): Content {
  const [now, then] = [sumOf(overview), sumOf(before)];
  const { p95 } = overview;
  const compared = then.calls > 0;
  const change = (after: number, earlier: number): Content => compared && changeOf(after, earlier);
  return html`<dl class="tiles">
      ${tile('Calls', number(now.calls), change(now.calls, then.calls))}
      ${isOfEveryone && tile('Active users', number(overview.userCount), change(overview.userCount, before.userCount))}
      ${tile('Errors', percent(now.errors, now.calls), compared ? `${percent(then.errors, then.calls)} before` : count(now.errors, 'call'))}
      ${tile('Mean time', duration(meanTime(now)), compared && `${duration(meanTime(then))} before`)}
      ${p95 && tile('95 of 100 within', duration(p95.all))}
      ${tile('Credits used', number(now.credits), change(now.credits, then.credits))}
    </dl>
    ${compared && html`<p class="quiet compared">Compared with the ${count(daysIn(asked), 'day')} before.</p>`}`;
}

function sumOf({ total }: UsageOverview): Tally {
  const sum = (field: keyof Tally): number => total.reduce((so, span) => so + span[field], 0);
  return { calls: sum('calls'), errors: sum('errors'), milliseconds: sum('milliseconds'), credits: sum('credits') };
}

const tile = (name: string, value: string, note?: Content): Content =>
  html`<div><dt>${name}</dt><dd>${value}${note !== undefined && note !== false && html`<small>${note}</small>`}</dd></div>`;
