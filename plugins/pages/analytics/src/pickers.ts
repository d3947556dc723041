import { button, field, html, select, tabs } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { dayOf, lastDays, lengths } from './asked.ts';
import type { Asked } from './asked.ts';

const spanNames = { day: 'Day', week: 'Week', month: 'Month' };

/** Links to usual periods, and a form for any other; both lead to an address that can be kept. */
export const pickers = (asked: Asked, instances: readonly string[]): Content =>
  html`<section class="pickers" aria-label="Period">
    ${tabs('Usual periods', usualPeriods(asked))}
    <form method="get" action="/analytics" class="row">
      ${field({ label: 'From', name: 'startDate', type: 'date', value: asked.startDate })}
      ${field({ label: 'To', name: 'endDate', type: 'date', value: asked.endDate })}
      ${select({ label: 'By', name: 'span', options: spanNames, value: asked.span })}
      ${instances.length > 1 && select({ label: 'Instance', name: 'instance', options: named(instances), value: asked.instance })}
      ${button('Show')}
    </form>
  </section>`;

function usualPeriods({ startDate, endDate, instance }: Asked): Parameters<typeof tabs>[1] {
  const today = dayOf(Date.now());
  return Object.entries(lengths).map(([days, title]) => {
    const period = lastDays(Number(days), today);
    const query = new URLSearchParams({
      startDate: period.startDate,
      endDate: period.endDate,
      instance,
    });
    return {
      title,
      path: `/analytics?${query}`,
      isCurrent: period.startDate === startDate && period.endDate === endDate,
    };
  });
}

const named = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, name]));
