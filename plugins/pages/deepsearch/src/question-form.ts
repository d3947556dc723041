import { longestQuestion } from '@sextant/contracts';
import { button, html, postForm } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';

export interface QuestionForm {
  readonly action: string;
  readonly csrfToken: string;
  readonly label: string;
  readonly submit: string;
  readonly hint?: string;
  /** The question that was typed and could not be asked. */
  readonly question?: string;
  readonly hasFocus?: boolean;
}

export const questionForm = ({ action, csrfToken, label, submit, hint, question, hasFocus }: QuestionForm): Content =>
  postForm({
    action,
    csrfToken,
    body: html`<div class="field">
        <label for="question">${label}</label>
        <textarea
          id="question"
          name="question"
          rows="3"
          required
          maxlength=${longestQuestion}
          autofocus=${hasFocus}
          aria-describedby=${hint === undefined ? undefined : 'question-hint'}
          data-submits-with-enter
        >${question}</textarea>
        ${hint !== undefined && html`<small id="question-hint">${hint}</small>`}
      </div>
      <div>${button(submit)}</div>`,
  });
