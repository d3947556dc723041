import type { Tally, UsageOverview } from '@sextant/contracts';
import { html } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { duration, meanTime, number, percent } from './numbers.ts';

/** The period in five numbers. */
export function tiles({ total, userCount }: UsageOverview, isOfEveryone: boolean): Content {
  const sum = (field: keyof Tally): number => total.reduce((so, span) => so + span[field], 0);
  const all: Tally = {
    calls: sum('calls'),
    errors: sum('errors'),
    milliseconds: sum('milliseconds'),
    credits: sum('credits'),
  };
  return html`<dl class="tiles">
    ${tile('Calls', number(all.calls))} ${isOfEveryone && tile('Active users', number(userCount))}
    ${tile('Errors', percent(all.errors, all.calls), `${number(all.errors)} calls`)}
    ${tile('Mean time', all.calls === 0 ? '–' : duration(meanTime(all)))}
    ${tile('Credits used', number(all.credits))}
  </dl>`;
}

const tile = (name: string, value: string, note?: string): Content =>
  html`<div><dt>${name}</dt><dd>${value}${note !== undefined && html`<small>${note}</small>`}</dd></div>`;
