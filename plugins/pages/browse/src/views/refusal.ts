import { literal, printQuery, queryOf } from '@sextant/contracts';
import type { PageFrame } from '@sextant/contracts';
import { fromOneLine } from '@sextant/core';
import type { ErrorCode, SextantError } from '@sextant/core';
import { emptyState, forPeople, html, htmlResponse, withCode } from '@sextant/library-ui';
import { encodePath } from '../address.ts';

const statuses: Readonly<Partial<Record<ErrorCode, readonly [status: number, title: string]>>> = {
  not_found: [404, 'There is nothing here'],
  invalid_argument: [400, 'This address cannot be opened'],
  too_large: [413, 'This is too large to be shown'],
  unavailable: [503, 'This is not available now'],
  timeout: [504, 'This took too long'],
};

/** Why a page cannot be shown, for people. A hidden repository and a missing one read the same. */
export function refusal(error: SextantError, frame: PageFrame, pathname: string): Response {
  const known = statuses[error.code];
  if (!known) throw error;
  const [status, title] = known;
  const { text, meant } = withoutSuggestion(forPeople(error.message));
  const address = meant === undefined ? undefined : addressOf(meant, pathname);
  const isOfRepository = !error.message.startsWith('repository "');
  const [repository = ''] = pathname.split(/@|\/-\//);
  const [, name] = /\/-\/(?:blob|tree|blame|raw)\/(?:.*\/)?([^/]+)\/?$/s.exec(pathname) ?? [];
  const mayBeElsewhere = name !== undefined && frame.navigation.some(({ path }) => path === '/search');
  return htmlResponse({
    ...frame,
    title,
    status,
    body: html`<h1>${title}</h1>
      ${emptyState(
        withCode(sentence(text)),
        html`${meant !== undefined && html`Did you mean ${address === undefined ? meant : html`<a href=${address}>${meant}</a>`}? `}
          ${isOfRepository && html`<a href=${repository}>Open the repository</a>${mayBeElsewhere && html` or <a href=${searchFor(decoded(name))}>find files of this name</a>`}. `}
          <a href="/">See what is served here</a>`,
      )}`,
  });
}

/** The name as it is, whatever it means in a query. */
const searchFor = (name: string): string =>
  `/search?${new URLSearchParams({ q: printQuery(queryOf([literal(name)], { types: ['path'] })) })}`;

/** An address may have anything in it. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** The message, and the nearest name apart. */
function withoutSuggestion(text: string): { text: string; meant: string | undefined } {
  const [suggestion, meant] = /\.? Did you mean "(.*?)"\?/.exec(text) ?? [];
  return { text: suggestion === undefined ? text : text.replace(suggestion, '.'), meant: meant && fromOneLine(meant) };
}

/** The same address with the nearest name instead: of the file, the revision or the repository. */
function addressOf(meant: string, pathname: string): string | undefined {
  const [, head = '', view = '', rest = ''] = /^(\/.+?)(\/-\/(?:blob|tree|raw)\/)(.*)$/s.exec(pathname) ?? [];
  if (rest !== '' && !head.includes('@')) return head + view + encodePath(meant);
  return pathname.includes('@') ? undefined : `/${encodePath(meant)}`;
}

/** Names of repositories keep their case. */
const sentence = (text: string): string =>
  `${text.startsWith('repository "') ? 'R' : text.slice(0, 1)}${text.slice(1).replace(/([^.?!])$/, '$1.')}`;
