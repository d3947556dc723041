import type { Cohort, CreditBucket, PageFrame, UsageOverview } from '@sextant/contracts';
import { emptyState, html, htmlResponse, notice } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import type { Asked } from './asked.ts';
import { csvLinks } from './csv-links.ts';
import { figures } from './figures.ts';
import { cohortTable } from './cohort-table.ts';
import { creditsLeft, topLists } from './lists.ts';
import { pickers } from './pickers.ts';
import { tiles } from './tiles.ts';

export interface Shown {
  asked: Asked;
  overview: UsageOverview;
  /** Of the period before, of the same length. */
  before: UsageOverview;
  cohorts: readonly Cohort[];
  frame: PageFrame;
  /** Hosts, this instance's first. */
  instances: readonly string[];
  /** Names of roles that users have. */
  teams: readonly string[];
  buckets: readonly CreditBucket[];
  isOfEveryone: boolean;
  /** Paths of the page's own. */
  stylesheet: string;
  script: string;
}

export async function show(shown: Shown): Promise<Response> {
  const { asked, frame, instances, teams, isOfEveryone } = shown;
  return htmlResponse({
    ...frame,
    title: 'Analytics',
    modules: [shown.script],
    status: asked.problem === undefined ? 200 : 400,
    body: html`<link rel="stylesheet" href=${shown.stylesheet} />
      <div>
        <h1>Analytics</h1>
        <p class="quiet">${isOfEveryone ? 'What everyone did' : 'What you did'} from ${day(asked.startDate)} to ${day(asked.endDate)}, in days of UTC.</p>
      </div>
      ${asked.problem !== undefined && notice('danger', asked.problem)} ${pickers(asked, instances, teams)}
      ${await content(shown)} ${csvLinks(asked)}`,
  });
}

/** In one piece: a line must not end within a date. */
const day = (date: string): Content => html`<time class="day">${date}</time>`;

async function content(shown: Shown): Promise<Content> {
  const { asked, overview, buckets, isOfEveryone, cohorts } = shown;
  const credits = creditsLeft(buckets, isOfEveryone);
  if (overview.total.every(({ calls }) => calls === 0))
    return [
      emptyState(
        'No calls in this period',
        Object.keys(asked.filters).length > 0
          ? 'Choose a longer one, or take away a filter.'
          : 'Choose a longer one, or connect a client: the home page says how.',
      ),
      credits,
    ];
  return [
    tiles(shown),
    html`<div class="charts">${await figures(overview, asked, isOfEveryone)}</div>`,
    credits,
    html`<div class="lists">${topLists(shown)}</div>`,
    Object.keys(asked.filters).length === 0 && cohortTable(cohorts),
  ];
}
