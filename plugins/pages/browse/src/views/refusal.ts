import type { PageFrame } from '@sextant/contracts';
import type { ErrorCode, SextantError } from '@sextant/core';
import { emptyState, html, htmlResponse } from '@sextant/library-ui';

const statuses: Readonly<Partial<Record<ErrorCode, readonly [status: number, title: string]>>> = {
  not_found: [404, 'There is nothing here'],
  invalid_argument: [400, 'This address cannot be opened'],
  too_large: [413, 'This is too large to be shown'],
  unavailable: [503, 'This is not available now'],
  timeout: [504, 'This took too long'],
};

/** Why a page cannot be shown, for people. A hidden repository and a missing one read the same. */
export function refusal(error: SextantError, frame: PageFrame): Response {
  const known = statuses[error.code];
  if (!known) throw error;
  const [status, title] = known;
  return htmlResponse({
    ...frame,
    title,
    status,
    body: html`<h1>${title}</h1>
      ${emptyState(sentence(error.message), html`<a href="/">See what is served here</a>`)}`,
  });
}

const sentence = (text: string): string =>
  `${text.slice(0, 1).toUpperCase()}${text.slice(1).replace(/([^.?!])$/, '$1.')}`;
