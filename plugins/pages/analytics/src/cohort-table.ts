import type { Cohort } from '@sextant/contracts';
import { html } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { number } from './numbers.ts';

/** Shares have one of so many shades. */
const shades = 5;

/** Who began in which week, and how many of them came back in the weeks after it. */
export function cohortTable(cohorts: readonly Cohort[]): Content {
  if (cohorts.every(({ users }) => users === 0)) return undefined;
  const [longest] = cohorts;
  const begun = cohorts.filter(({ users }) => users > 0);
  return html`<section class="card cohorts">
    <h2>Adoption</h2>
    <p class="quiet">Users by the week of their first call, and the share of them who made calls in each week after it.</p>
    <div class="numbers" role="region" aria-label="Adoption by week" tabindex="0">
      <table>
        <thead>
          <tr><th scope="col">First week</th><th scope="col">Users</th>${longest?.active.map((_, after) => html`<th scope="col">${after === 0 ? 'Same' : `+${after}`}</th>`)}</tr>
        </thead>
        <tbody>
          ${begun.map((cohort) => html`<tr><th scope="row">${cohort.week}</th><td>${number(cohort.users)}</td>${cohort.active.map((active) => share(active / cohort.users))}</tr>`)}
        </tbody>
      </table>
    </div>
  </section>`;
}

const share = (part: number): Content =>
  html`<td class=${`shade-${Math.ceil(part * shades)}`}>${Math.round(part * 100)}%</td>`;
