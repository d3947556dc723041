import type { CreditBucket, PageFrame, UsageOverview } from '@sextant/contracts';
import { emptyState, html, htmlResponse, notice } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import type { Asked } from './asked.ts';
import { downloads } from './downloads.ts';
import { figures } from './figures.ts';
import { creditsLeft, topLists } from './lists.ts';
import { pickers } from './pickers.ts';
import { tiles } from './tiles.ts';

export interface Shown {
  asked: Asked;
  overview: UsageOverview;
  frame: PageFrame;
  /** Hosts, this instance's first. */
  instances: readonly string[];
  buckets: readonly CreditBucket[];
  isOfEveryone: boolean;
  /** Path of the page's own. */
  stylesheet: string;
}

export async function show(shown: Shown): Promise<Response> {
  const { asked, frame, instances, isOfEveryone } = shown;
  return htmlResponse({
    ...frame,
    title: 'Analytics',
    status: asked.problem === undefined ? 200 : 400,
    body: html`<link rel="stylesheet" href=${shown.stylesheet} />
      <div>
        <h1>Analytics</h1>
        <p class="quiet">${isOfEveryone ? 'What everyone did' : 'What you did'} from ${day(asked.startDate)} to ${day(asked.endDate)}, in days of UTC.</p>
      </div>
      ${asked.problem !== undefined && notice('danger', asked.problem)} ${pickers(asked, instances)}
      ${await content(shown)} ${downloads(asked)}`,
  });
}

/** In one piece: a line must not end within a date. */
const day = (date: string): Content => html`<time class="day">${date}</time>`;

async function content({ asked, overview, buckets, isOfEveryone }: Shown): Promise<Content> {
  const credits = creditsLeft(buckets, isOfEveryone);
  if (overview.total.every(({ calls }) => calls === 0))
    return [
      emptyState('No calls in this period', 'Choose a longer one, or connect a client: the home page says how.'),
      credits,
    ];
  return [
    tiles(overview, isOfEveryone),
    html`<div class="charts">${await figures(overview, asked, isOfEveryone)}</div>`,
    credits,
    html`<div class="lists">${topLists(overview, isOfEveryone)}</div>`,
  ];
}
