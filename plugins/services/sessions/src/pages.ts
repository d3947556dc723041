import { Sessions, returnPath } from '@sextant/contracts';
import type { BrowserSession, SignInWay } from '@sextant/contracts';
import { definePage, isSextantError } from '@sextant/core';
import type { Page } from '@sextant/core';
import { assetResponse, assets, button, html, htmlResponse, linkButton, notice, postForm } from '@sextant/library-ui';
import { linkPath, signInLinks } from './sign-in-links.ts';

const needs = { sessions: Sessions };
const path = '/sign-in';

const signIn = definePage({
  name: 'sign-in',
  method: 'GET',
  path,
  access: 'anyone',
  needs,
  async respond(request, { sessions }) {
    const query = new URL(request.url).searchParams;
    const wanted = query.get('return');
    const session = await sessions.find(request.headers);
    const caller = session && (await sessions.callerOf(session));
    if (session && caller) return wanted === null ? signedIn(session, caller.user.name) : redirect(returnPath(wanted));
    const [way, ...others] = sessions.ways();
    const isSignedOut = query.has('signed-out');
    if (way && others.length === 0 && !isSignedOut && !query.has('choose')) return redirect(startOf(way, wanted));
    return choiceOf(sessions.ways(), { wanted, isSignedOut });
  },
});

const signOut = definePage({
  name: 'sign-out',
  method: 'POST',
  path: '/sign-out',
  access: 'anyone',
  needs,
  async respond(request, { sessions }) {
    const fields = await sessions.readForm(request);
    const session = await sessions.find(request.headers);
    if (session && fields.has('everywhere')) await sessions.endAll(session.userId);
    // Not back to a way: one that remembers the person would sign them in again.
    return redirect(`${path}?signed-out`, await sessions.end(request.headers));
  },
});

/** Opening a link only asks: programs that preview links would use it up. */
const link = definePage({
  name: 'sign-in-link',
  method: 'GET',
  path: linkPath,
  access: 'anyone',
  needs,
  respond: (request, { sessions }) => askedByLink(sessions, request),
});

const followLink = definePage({
  name: 'sign-in-by-link',
  method: 'POST',
  path: linkPath,
  access: 'anyone',
  needs: { sessions: Sessions, links: signInLinks },
  async respond(request, { sessions, links }, { remoteAddress }) {
    try {
      await sessions.readForm(request);
      const caller = await links.use(new URL(request.url).pathname.split('/').at(-1) ?? '', remoteAddress);
      if (caller) return redirect('/', await sessions.begin(caller.user.id, request));
    } catch (error) {
      if (!isSextantError(error)) throw error;
      return askedByLink(sessions, request, { problem: error.message, status: 400 });
    }
    return askedByLink(sessions, request, {
      problem: 'This link was used before, has ended, or is not one of this server. Ask for another.',
      status: 403,
    });
  },
});

const files = assets.map((asset) =>
  definePage({
    name: `asset ${asset.path}`,
    method: 'GET',
    path: asset.path,
    access: 'anyone',
    needs: {},
    respond: async () => assetResponse(asset),
  }),
);

export const pages: readonly Page[] = [signIn, signOut, link, followLink, ...files];

function redirect(location: string, setCookie?: string): Response {
  const headers = {
    location,
    'cache-control': 'no-store',
    ...(setCookie !== undefined && { 'set-cookie': setCookie }),
  };
  return new Response(null, { status: 303, headers });
}

const startOf = (way: SignInWay, wanted: string | null): string =>
  wanted === null ? way.path : `${way.path}?return=${encodeURIComponent(returnPath(wanted))}`;

interface Choice {
  wanted: string | null;
  isSignedOut: boolean;
}

const choiceOf = (ways: readonly SignInWay[], { wanted, isSignedOut }: Choice): Response =>
  htmlResponse({
    title: 'Sign in',
    isNarrow: true,
    body: html`<h1>Sign in</h1>
      ${isSignedOut && notice('success', 'You are signed out.')}
      ${
        ways.length === 0
          ? notice('warning', 'No way to sign in is switched on here. Ask whoever runs this server.')
          : html`<div class="card stack">
              ${ways.map((way) => linkButton(way.title, startOf(way, wanted), { kind: 'plain', isWide: true }))}
            </div>`
      }`,
  });

const signedIn = ({ csrfToken, signedInAt }: BrowserSession, name: string): Response =>
  htmlResponse({
    title: 'Signed in',
    isNarrow: true,
    person: { name, csrfToken },
    body: html`<h1>You are signed in</h1>
      <div class="card stack">
        <p>As <strong>${name}</strong>, since ${signedInAt.slice(0, 16).replace('T', ' ')} UTC.</p>
        ${postForm({
          action: '/sign-out',
          csrfToken,
          hidden: { everywhere: '1' },
          body: button('Sign out everywhere', { kind: 'danger', isWide: true }),
        })}
      </div>`,
  });

async function askedByLink(
  sessions: Sessions,
  request: Request,
  { problem, status = 200 }: { problem?: string; status?: number } = {},
): Promise<Response> {
  const { csrfToken, setCookie } = await sessions.formToken(request);
  return htmlResponse({
    title: 'Sign in',
    isNarrow: true,
    status,
    setCookie,
    body: html`<h1>Sign in to Sextant</h1>
      ${
        problem === undefined
          ? html`<div class="card stack">
              <p>This link signs you in once, in this browser.</p>
              ${postForm({ action: new URL(request.url).pathname, csrfToken, body: button('Sign in', { isWide: true }) })}
            </div>`
          : notice('danger', problem)
      }`,
  });
}
