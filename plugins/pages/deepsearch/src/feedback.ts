import type { Complaint, Conversations, Directory, FeedbackSummary } from '@sextant/contracts';
import type { Call } from '@sextant/core';
import { ago, breadcrumbs, html, table } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { root } from './paths.ts';

const mostComplaints = 100;

interface Services {
  readonly conversations: Conversations;
  readonly directory: Directory;
}

/** For administrators: how many answers of each model helped, and what people said of those that did not. */
export async function feedbackPage({ conversations, directory }: Services, { caller }: Call): Promise<Content> {
  const { counts, complaints } = await conversations.feedback(caller, { complaints: mostComplaints });
  const names = new Map((await directory.list()).map(({ id, name }) => [id, name]));
  return html`${breadcrumbs([{ title: 'Deep search', path: root }], 'Feedback on answers')}
    <div>
      <h1>Feedback on answers</h1>
      <p class="quiet">Answers that people rated. Compare models by their share of good ones; complaints say where to look: a repository that is not indexed, a name that is not found, a model that is too small.</p>
    </div>
    ${table<FeedbackSummary['counts'][number]>({ caption: 'Ratings by model', columns: countColumns, rows: counts, empty: 'Nobody has rated an answer yet.' })}
    <div class="stack">
      <h2>What did not help</h2>
      ${table<Complaint>({ caption: 'What did not help', columns: complaintColumns(names), rows: complaints, empty: 'There are no complaints.' })}
    </div>`;
}

const who = (model: string | undefined): string => model ?? 'without a model';

const countColumns = [
  { title: 'Answered by', cell: ({ model }: FeedbackSummary['counts'][number]): Content => who(model) },
  { title: 'Good', cell: ({ good }: FeedbackSummary['counts'][number]): Content => good.toLocaleString('en') },
  { title: 'Bad', cell: ({ bad }: FeedbackSummary['counts'][number]): Content => bad.toLocaleString('en') },
  {
    title: 'Share of good',
    cell: ({ good, bad }: FeedbackSummary['counts'][number]): Content => `${Math.round((100 * good) / (good + bad))} %`,
  },
];

const complaintColumns = (names: ReadonlyMap<number, string>) => [
  { title: 'Question', cell: ({ question }: Complaint): Content => question },
  { title: 'Comment', cell: ({ comment }: Complaint): Content => comment || html`<span class="quiet">None</span>` },
  { title: 'By', cell: ({ userId }: Complaint): Content => names.get(userId) ?? 'a user who was deleted' },
  { title: 'Answered by', cell: ({ model }: Complaint): Content => who(model) },
  { title: 'Asked', cell: ({ askedAt }: Complaint): Content => ago(askedAt) },
];
