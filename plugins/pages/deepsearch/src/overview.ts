import type { ConversationPage, ConversationSummary } from '@sextant/contracts';
import { ago, card, html, notice, pagination, table, tag } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { statusTag } from './conversation-view.ts';
import { pathOf, root } from './paths.ts';
import { questionForm } from './question-form.ts';

export interface Overview {
  readonly page: ConversationPage;
  readonly csrfToken: string;
  readonly isFirstPage: boolean;
  /** What could not be asked, and why. */
  readonly refused?: { readonly question: string; readonly problem: string };
}

/** Ask, and what was asked before. */
export const overviewPage = ({ page, csrfToken, isFirstPage, refused }: Overview): Content =>
  html`<div>
      <h1>Deep search</h1>
      <p class="quiet">Ask about the code in your own words. The answer quotes the lines it rests on.</p>
    </div>
    ${refused && notice('danger', refused.problem)}
    ${
      isFirstPage &&
      card({
        title: 'Ask a question',
        body: questionForm({
          action: root,
          csrfToken,
          label: 'Question',
          submit: 'Ask',
          hasFocus: true,
          hint: 'Names of repositories, files and symbols help. Ctrl+Enter asks.',
          ...(refused && { question: refused.question }),
        }),
      })
    }
    <section class="stack" aria-labelledby="history">
      <h2 id="history">Your conversations</h2>
      ${table<ConversationSummary>({ caption: 'Your conversations', columns, rows: page.conversations, empty: 'You have not asked anything yet.' })}
      ${pagination({
        ...(!isFirstPage && { previous: root }),
        ...(page.endCursor !== undefined && { next: `${root}?after=${page.endCursor}` }),
      })}
    </section>`;

const columns = [
  {
    title: 'Question',
    cell: ({ identifier, title }: ConversationSummary) => html`<a href=${pathOf(identifier)}>${title}</a>`,
  },
  { title: 'State', cell: ({ status }: ConversationSummary) => statusTag(status) },
  { title: 'Sharing', cell: ({ isShared }: ConversationSummary) => (isShared ? tag('Shared', 'warning') : 'Only you') },
  { title: 'Asked', cell: ({ createdAt }: ConversationSummary) => ago(createdAt) },
];
