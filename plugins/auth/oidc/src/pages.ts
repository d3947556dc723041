import { returnPath } from '@sextant/contracts';
import { definePage, isSextantError } from '@sextant/core';
import type { Page, SextantError } from '@sextant/core';
import { html, htmlResponse, linkButton, notice } from '@sextant/library-ui';
import { callbackPath, startPath } from './paths.ts';
import { oidc } from './sign-in.ts';
import type { Step } from './sign-in.ts';

const needs = { oidc };

const start = definePage({
  name: 'sign-in-oidc',
  method: 'GET',
  path: startPath,
  access: 'anyone',
  needs,
  async respond({ url }, { oidc: { signIn } }) {
    const query = new URL(url).searchParams;
    if (!signIn) return notFound();
    const wanted = query.get('return');
    return explaining({ cookies: [], wanted }, async () => signIn.begin({ wanted, asksAgain: query.has('again') }));
  },
});

const callback = definePage({
  name: 'sign-in-oidc-callback',
  method: 'GET',
  path: callbackPath,
  access: 'anyone',
  needs,
  async respond(request, { oidc: { signIn } }, { remoteAddress = 'unknown' }) {
    if (!signIn) return notFound();
    const wanted = signIn.attempts.read(request.headers)?.returnTo ?? null;
    return explaining({ cookies: [signIn.attempts.end()], wanted }, () => signIn.finish(request, remoteAddress));
  },
});

export const pages: readonly Page[] = [start, callback];

/** A person who cannot go on sees why, and how. */
async function explaining(
  { cookies, wanted }: { cookies: readonly string[]; wanted: string | null },
  work: () => Promise<Step>,
): Promise<Response> {
  try {
    const step = await work();
    return withCookies(redirect(step.location), step.cookies);
  } catch (error) {
    if (!isSextantError(error)) throw error;
    const query = new URLSearchParams({ return: returnPath(wanted) });
    return withCookies(explanation(error, query), cookies);
  }
}

const statuses: Readonly<Record<string, number>> = { forbidden: 403, exhausted: 429, unavailable: 503 };

const explanation = ({ code, message, retryAfterSeconds }: SextantError, query: URLSearchParams): Response =>
  htmlResponse({
    title: 'You are not signed in',
    isNarrow: true,
    status: statuses[code] ?? 500,
    headers: retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) },
    body: html`<h1>You are not signed in</h1>
      ${notice('danger', message)}
      <div class="card stack">
        ${linkButton('Try again', `${startPath}?${query}`, { isWide: true })}
        ${linkButton('Use another account', `${startPath}?again&${query}`, { kind: 'plain', isWide: true })}
        ${linkButton('Other ways to sign in', `/sign-in?choose&${query}`, { kind: 'plain', isWide: true })}
      </div>`,
  });

const redirect = (location: string): Response =>
  new Response(null, { status: 303, headers: { location, 'cache-control': 'no-store' } });

function withCookies(response: Response, cookies: readonly string[]): Response {
  for (const cookie of cookies) response.headers.append('set-cookie', cookie);
  return response;
}

const notFound = (): Response =>
  new Response('not found', { status: 404, headers: { 'content-type': 'text/plain; charset=utf-8' } });
