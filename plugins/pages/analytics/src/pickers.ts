import { button, field, html, select, tabs } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { addressOf, dayOf, filterNames, lastDays, lengths } from './asked.ts';
import type { Asked } from './asked.ts';

const spanNames = { day: 'Day', week: 'Week', month: 'Month' };

/** Links to usual periods, and a form for any other; both lead to an address that can be kept. */
export const pickers = (asked: Asked, instances: readonly string[], teams: readonly string[]): Content =>
  html`<section class="pickers" aria-label="Period">
    ${tabs('Usual periods', usualPeriods(asked))}
    <form method="get" action="/analytics" class="row">
      ${field({ label: 'From', name: 'startDate', type: 'date', value: asked.startDate })}
      ${field({ label: 'To', name: 'endDate', type: 'date', value: asked.endDate })}
      ${select({ label: 'By', name: 'span', options: spanNames, value: asked.span })}
      ${instances.length > 1 && select({ label: 'Instance', name: 'instance', options: named(instances), value: asked.instance })}
      ${teams.length > 0 && select({ label: 'Team', name: 'team', options: { '': 'Everyone', ...named(teams) }, value: asked.filters.team ?? '' })}
      ${filterNames.map((name) => name !== 'team' && asked.filters[name] !== undefined && html`<input type="hidden" name=${name} value=${asked.filters[name]} />`)}
      ${button('Show')}
    </form>
    ${chips(asked)}
  </section>`;

/** What the page is narrowed to, each with the way to the page without it. */
const chips = (asked: Asked): Content => {
  const set = filterNames.flatMap((name) =>
    asked.filters[name] === undefined ? [] : [[name, asked.filters[name]] as const],
  );
  return (
    set.length > 0 &&
    html`<ul class="chips" aria-label="Filters">
      ${set.map(([name, value]) => html`<li><a class="chip set" href=${addressOf(asked, { [name]: undefined })} aria-label=${`Remove ${name} ${value}`}>${name}: ${value}<span aria-hidden="true"> ×</span></a></li>`)}
    </ul>`
  );
};

function usualPeriods(asked: Asked): Parameters<typeof tabs>[1] {
  const today = dayOf(Date.now());
  return Object.entries(lengths).map(([days, title]) => {
    const { startDate, endDate } = lastDays(Number(days), today);
    return {
      title,
      path: addressOf(asked, { startDate, endDate }),
      isCurrent: startDate === asked.startDate && endDate === asked.endDate,
    };
  });
}

const named = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, name]));
