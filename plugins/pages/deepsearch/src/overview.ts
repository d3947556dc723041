import { isCloned } from '@sextant/contracts';
import type { ConversationPage, ConversationSummary, RepositoryInfo } from '@sextant/contracts';
import { ago, html, linkButton, notice, pagination, table, tag } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { statusTag } from './conversation-view.ts';
import { feedbackPath, pathOf, root } from './paths.ts';
import { questionForm } from './question-form.ts';

export interface Overview {
  readonly page: ConversationPage;
  readonly csrfToken: string;
  readonly isFirstPage: boolean;
  /** Those that the viewer may read. */
  readonly repositories: readonly RepositoryInfo[];
  /** The language model that answers; absent: none does. */
  readonly model: string | undefined;
  /** Stands in the form, to be asked. */
  readonly question: string;
  /** What could not be asked, and why. */
  readonly refused?: { readonly question: string; readonly scope: readonly string[]; readonly problem: string };
  /** Names of repositories that the question is about, as the address says. */
  readonly scope: readonly string[];
  /** Whether the viewer may see what people think of answers. */
  readonly seesFeedback: boolean;
}

/** Ask, and what was asked before. */
export const overviewPage = ({
  page,
  csrfToken,
  isFirstPage,
  refused,
  repositories,
  model,
  question,
  scope,
  seesFeedback,
}: Overview): Content =>
  html`<div>
      <div class="between">
        <h1>Deep search</h1>
        ${seesFeedback && linkButton('Feedback on answers', feedbackPath, { kind: 'plain', isSmall: true })}
      </div>
      <p class="quiet">Ask about the code in your own words. The answer quotes the lines it rests on. ${who(model)}</p>
    </div>
    ${refused && notice('danger', refused.problem)}
    ${
      isFirstPage &&
      html`<section class="card stack ask">
        ${questionForm({
          action: root,
          csrfToken,
          label: 'Question',
          submit: 'Ask',
          hasFocus: true,
          hint: 'Names of files and symbols help. Ctrl+Enter asks.',
          question: refused?.question ?? question,
          repositories: repositories.slice(0, mostOffered).map(({ name }) => name),
          scope: refused?.scope ?? scope,
        })}
        ${examples(repositories.filter(isCloned))}
      </section>`
    }
    <div class="stack">
      <h2>Your conversations</h2>
      ${table<ConversationSummary>({ caption: 'Your conversations', columns, rows: page.conversations, empty: 'You have not asked anything yet.' })}
      ${pagination({
        ...(!isFirstPage && { previous: root }),
        ...(page.endCursor !== undefined && { next: `${root}?after=${page.endCursor}` }),
      })}
    </div>`;

/** Names that the form offers. */
const mostOffered = 500;

const who = (model: string | undefined): string =>
  model === undefined
    ? 'No language model is configured: the server finds the code itself, and says why it is what was asked for.'
    : `The language model ${model} answers, from code that it looks up here as you.`;

const asked = [
  'How are errors handled?',
  'Where is input checked, and what is refused?',
  'What happens when something takes too long?',
];

/** Questions that can be asked here: a click puts one into the form. */
const examples = (repositories: readonly RepositoryInfo[]): Content =>
  repositories.length > 0 &&
  html`<ul class="chips" aria-label="Examples">
    ${asked.map((question, index) => {
      const repository = repositories[Math.floor((index * repositories.length) / asked.length)]?.name ?? '';
      const name = repository.slice(repository.lastIndexOf('/') + 1);
      return html`<li><a class="chip" href=${`${root}?${new URLSearchParams({ question, repository })}`}>${question} <strong>${name}</strong></a></li>`;
    })}
  </ul>`;

const columns = [
  {
    title: 'Question',
    cell: ({ identifier, title }: ConversationSummary) => html`<a href=${pathOf(identifier)}>${title}</a>`,
  },
  { title: 'State', cell: ({ status }: ConversationSummary) => statusTag(status) },
  { title: 'Sharing', cell: ({ isShared }: ConversationSummary) => (isShared ? tag('Shared', 'warning') : 'Only you') },
  { title: 'Asked', cell: ({ createdAt }: ConversationSummary) => ago(createdAt) },
];
