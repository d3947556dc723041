import { longestQuestion } from '@sextant/contracts';
import { button, field, html, postForm } from '@sextant/library-ui';
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
  /** Repositories that it may be about. */
  readonly repositories?: readonly string[];
  /** Those that were chosen. */
  readonly scope?: readonly string[];
}

export const questionForm = ({
  action,
  csrfToken,
  label,
  submit,
  hint,
  question,
  hasFocus,
  repositories = [],
  scope = [],
}: QuestionForm): Content =>
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
      <div class="about-and-ask">
        ${repositories.length > 1 && field({ label: 'Repositories', name: 'repositories', value: scope.join(', '), hint: 'With commas between them; empty: those that the question names, else all.', offers: repositories, autocomplete: 'off' })}
        ${button(submit)}
      </div>`,
  });
