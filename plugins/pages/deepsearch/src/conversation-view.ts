import { isFinal, linkedSource, longestComment } from '@sextant/contracts';
import type { Conversation, ConversationTurn, Links, QuestionStatus, Rating } from '@sextant/contracts';
import {
  ago,
  button,
  card,
  codeLines,
  copyText,
  count,
  emptyState,
  html,
  linkButton,
  notice,
  postForm,
  tag,
} from '@sextant/library-ui';
import type { Content, TagKind } from '@sextant/library-ui';
import { answerMarkup, numbersOf } from './answer.ts';
import type { Fences } from './answer.ts';
import { pathOf, root, sharedPathOf } from './paths.ts';
import type { Previews } from './previews.ts';
import { questionForm } from './question-form.ts';

export interface ConversationView {
  readonly conversation: Conversation;
  readonly links: Links;
  readonly csrfToken: string;
  /** Lines of sources, where the page shows them. */
  readonly previews?: Previews;
  /** Coloured code of answers. */
  readonly fences?: Fences;
  /** What went wrong with a form of this page. */
  readonly problem?: string;
}

/** A conversation with everything that its reader may do with it. */
export function conversationPage(view: ConversationView): Content {
  const { conversation, csrfToken, problem } = view;
  const { identifier, title, status, isOwn, version, scope } = conversation;
  const path = isOwn ? pathOf(identifier) : sharedPathOf(identifier);
  return html`<div class="between">
      <h1>${title}</h1>
      <div class="row">${scope && html`<span class="quiet">About ${scope.join(', ')}</span>`}${linkButton('Markdown', `${path}.md`, { kind: 'plain', isSmall: true })}</div>
    </div>
    ${problem !== undefined && notice('danger', problem)}
    <div
      id="conversation"
      class="stack"
      data-live=${isFinal(status) ? undefined : `${path}/events?version=${version}`}
    >${turnsOf(view)}</div>
    ${isOwn && followUp(view)} ${isOwn && settings(conversation, csrfToken)}`;
}

const turnsOf = (view: ConversationView): Content => view.conversation.turns.map((_, index) => turnOf(view, index));

/** The part of the page that changes while a question is worked on. */
export const lastTurnOf = (view: ConversationView): Content => turnOf(view, view.conversation.turns.length - 1);

function turnOf(view: ConversationView, index: number): Content {
  const { conversation, csrfToken } = view;
  const turn = conversation.turns[index];
  return (
    turn &&
    html`<article class="card stack turn" id=${`question-${index + 1}`} aria-label=${`Question ${index + 1}`}>
        <div class="between">
          ${asksMore(conversation, turn, index) && html`<p class="question">${turn.question}</p>`}
          <div class="row">${statusTag(turn.status)}<span class="quiet">${answeredBy(turn)} ${ago(turn.askedAt)}</span></div>
        </div>
        ${stateOf(turn, view)} ${conversation.isOwn && turn.status === 'completed' && ratingForm({ conversation, csrfToken, turn, number: index + 1 })} ${conversation.isOwn && !isFinal(turn.status) && cancelForm(conversation, csrfToken)}
      </article>`
  );
}

/** How long it took, and which model answered. */
const answeredBy = ({ status, model, seconds }: ConversationTurn): string =>
  status !== 'completed'
    ? ''
    : [model ?? 'without a model', seconds !== undefined && `in ${seconds} s`].filter(Boolean).join(' ').concat(',');

interface RatedTurn {
  readonly conversation: Conversation;
  readonly csrfToken: string;
  readonly turn: ConversationTurn;
  readonly number: number;
}

/** Whether the answer helped. What did not is told to administrators, and the form says so. */
const ratingForm = ({ conversation, csrfToken, turn: { rating }, number }: RatedTurn): Content => {
  const action = pathOf(conversation.identifier, 'rating');
  const send = (value: Rating, title: string): Content =>
    postForm({
      action,
      csrfToken,
      hidden: { number: String(number), rating: value },
      isInline: true,
      body: button(title, { kind: 'plain', isSmall: true }),
    });
  if (rating === 'good')
    return html`<div class="row quiet">You rated this answer as good. ${send('bad', 'It did not help')}</div>`;
  return html`<div class="row rating quiet">
    ${rating === 'bad' ? 'You rated this answer as bad.' : 'Did this help?'} ${send('good', 'Yes')}
    <details>
      <summary>${rating === 'bad' ? 'Say why' : 'No'}</summary>
      ${postForm({
        action,
        csrfToken,
        hidden: { number: String(number), rating: 'bad' },
        body: html`<div class="field">
            <label for=${`comment-${number}`}>What is wrong or missing?</label>
            <textarea id=${`comment-${number}`} name="comment" rows="2" maxlength=${longestComment} aria-describedby=${`comment-hint-${number}`}></textarea>
            <small id=${`comment-hint-${number}`}>Administrators see the question and this text, not the answer.</small>
          </div>
          <div>${button('Send', { kind: 'plain', isSmall: true })}</div>`,
      })}
    </details>
  </div>`;
};

/** The title of the page says a short first question already. */
const asksMore = ({ title }: Conversation, { question }: ConversationTurn, index: number): boolean =>
  index > 0 || question !== title;

function stateOf(turn: ConversationTurn, { links, previews, fences }: ConversationView): Content {
  switch (turn.status) {
    case 'completed':
      return html`<div class="answered">
        <div class="stack">${prose(answerMarkup(turn.answer ?? '', numbersOf(turn, links), fences))} ${stepsOf(turn)}</div>
        <aside aria-label="Sources"><h2>${count(turn.sources.length, 'source')}</h2>${sourcesOf(turn, links, previews)}</aside>
      </div>`;
    case 'failed':
      return notice('danger', turn.error ?? 'The question failed.');
    case 'canceled':
      return html`<p class="quiet">This question was canceled.</p>`;
    default:
      return progressOf(turn);
  }
}

const sourcesOf = (
  { sources, withheldSources }: ConversationTurn,
  links: Links,
  previews: Previews | undefined,
): Content => html`<ol class="sources">
    ${sources.map((source) => {
      const { repo, path, startLine, endLine, url } = linkedSource(source, links);
      const lines = previews?.get(source) ?? [];
      return html`<li><a href=${url}>${path}</a><small class="quiet">${repo} · ${linesOf(startLine, endLine)}</small>
        ${lines.length > 0 && preview(path, lines, startLine)}</li>`;
    })}
  </ol>
  ${withheldSources > 0 && html`<p class="quiet">${count(withheldSources, 'more source')} in repositories that you may not read.</p>`}`;

const preview = (path: string, lines: readonly string[], from: number): Content =>
  html`<details>
    <summary>Lines<span class="unseen"> of ${path}</span></summary>
    <div class="code" role="group" aria-label=${`Lines of ${path}`} tabindex="0">${codeLines({ markup: lines, from })}</div>
  </details>`;

/** How the answer was found. */
const stepsOf = ({ steps }: ConversationTurn): Content =>
  steps.length > 0 &&
  html`<details><summary>${count(steps.length, 'step')}</summary><ol class="steps">${steps.map((step) => html`<li>${step}</li>`)}</ol></details>`;

const linesOf = (first: number, last: number): string => (first === last ? `line ${first}` : `lines ${first}–${last}`);

const progressOf = (turn: ConversationTurn): Content => {
  const { status, steps, draft } = turn;
  const now = draft === undefined ? (steps.at(-1) ?? 'Beginning') : 'Writing the answer';
  return html`<div class="working stack">
    <p role="status"><span class="spinner" aria-hidden="true"></span>${status === 'queued' ? 'Waiting for its turn' : now}…</p>
    ${(draft !== undefined || steps.length > 1) && stepsOf(turn)}
    ${draft !== undefined && html`<div class="draft">${prose(answerMarkup(draft, new Map()))}</div>`}
    <noscript><p class="quiet">Reload the page to see how far it is.</p></noscript>
  </div>`;
};

const cancelForm = ({ identifier }: Conversation, csrfToken: string): Content =>
  postForm({
    action: pathOf(identifier, 'cancel'),
    csrfToken,
    body: button('Cancel', { kind: 'plain', isSmall: true }),
    isInline: true,
  });

const followUp = ({ conversation: { identifier, status }, csrfToken }: ConversationView): Content =>
  card({
    title: 'Follow up',
    body: isFinal(status)
      ? html`<div class="follow-up">${questionForm({ action: pathOf(identifier, 'questions'), csrfToken, label: 'Next question', submit: 'Ask' })}</div>`
      : html`<p class="quiet">The next question can be asked when this one is finished.</p>`,
  });

const settings = (conversation: Conversation, csrfToken: string): Content =>
  card({ title: 'Sharing', body: html`${sharing(conversation, csrfToken)} ${removal(conversation, csrfToken)}` });

function sharing({ identifier, isShared, link }: Conversation, csrfToken: string): Content {
  const form = (action: string, text: string, hidden: Record<string, string> = {}): Content =>
    postForm({
      action: pathOf(identifier, action),
      csrfToken,
      hidden,
      isInline: true,
      body: button(text, { kind: 'plain' }),
    });
  if (!isShared)
    return html`<p>Only you can read this conversation.</p>
      <div class="row">${form('share', 'Share with everyone who is signed in', { shared: '1' })}</div>`;
  const address = link.replace(pathOf(identifier), sharedPathOf(identifier));
  return html`<p>Everyone who is signed in and has this link can read it; each sees only what they may read.</p>
    ${copyText({ id: 'shared-link', text: address, label: 'Copy link' })}
    <div class="row">${form('share', 'Stop sharing', { shared: '0' })} ${form('reset-token', 'Replace the link by a new one')}</div>`;
}

const removal = ({ identifier }: Conversation, csrfToken: string): Content =>
  html`<details>
    <summary>Delete this conversation</summary>
    ${postForm({
      action: pathOf(identifier, 'delete'),
      csrfToken,
      body: html`<p>Its questions and answers cannot be brought back.</p><div>${button('Delete', { kind: 'danger' })}</div>`,
    })}
  </details>`;

export const statusTag = (status: QuestionStatus): Content => tag(words[status], kinds[status]);

const words: Readonly<Record<QuestionStatus, string>> = {
  queued: 'Waiting',
  processing: 'Working',
  completed: 'Answered',
  failed: 'Failed',
  canceled: 'Canceled',
};
const kinds: Readonly<Record<QuestionStatus, TagKind>> = {
  queued: 'plain',
  processing: 'info',
  completed: 'success',
  failed: 'danger',
  canceled: 'plain',
};

/** The same page for everything that is not there for its reader. */
export const missingPage = (): Content =>
  emptyState(
    'There is no such conversation',
    html`It may have been deleted, its link replaced, or it is not shared with you. <a href=${root}>Your conversations</a>`,
  );

/** An answer for people to read. Its links to other places were checked when it was written. */
const prose = (markup: string): Content => html`<div class="prose" dangerouslySetInnerHTML=${{ __html: markup }} />`;
