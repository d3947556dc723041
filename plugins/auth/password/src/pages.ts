import { Sessions, returnPath } from '@sextant/contracts';
import { definePage, isSextantError } from '@sextant/core';
import type { Page, SextantError } from '@sextant/core';
import { button, field, html, htmlResponse, notice, postForm } from '@sextant/library-ui';
import { passwords } from './passwords.ts';

export const path = '/sign-in/password';

/** What was typed before, and why it was not enough. */
interface FormState {
  wanted: string | null;
  name?: string;
  problem?: string;
  status?: number;
  headers?: Readonly<Record<string, string>>;
}

const form = definePage({
  name: 'sign-in-password',
  method: 'GET',
  path,
  access: 'anyone',
  needs: { sessions: Sessions },
  respond: (request, { sessions }) =>
    show(sessions, request, { wanted: new URL(request.url).searchParams.get('return') }),
});

const submit = definePage({
  name: 'sign-in-with-password',
  method: 'POST',
  path,
  access: 'anyone',
  needs: { sessions: Sessions, passwords },
  async respond(request, { sessions, passwords: store }, { remoteAddress = 'unknown' }) {
    let state: FormState = { wanted: null };
    try {
      const fields = await sessions.readForm(request);
      const name = fields.get('name')?.trim() ?? '';
      state = { wanted: fields.get('return'), name };
      const user = await store.check({ name, password: fields.get('password') ?? '', address: remoteAddress });
      if (!user) return await show(sessions, request, { ...state, problem: 'Wrong name or password.', status: 403 });
      return enter(state.wanted, await sessions.begin(user.id, request));
    } catch (error) {
      if (!isSextantError(error)) throw error;
      return show(sessions, request, { ...state, ...refusal(error) });
    }
  },
});

export const pages: readonly Page[] = [form, submit];

function enter(wanted: string | null, setCookie: string): Response {
  const location = wanted ? returnPath(wanted) : '/';
  return new Response(null, {
    status: 303,
    headers: { location, 'set-cookie': setCookie, 'cache-control': 'no-store' },
  });
}

const refusal = ({ code, message, retryAfterSeconds }: SextantError): Partial<FormState> =>
  code === 'exhausted'
    ? { problem: message, status: 429, headers: { 'retry-after': String(retryAfterSeconds ?? 60) } }
    : { problem: message, status: 400 };

async function show(sessions: Sessions, request: Request, state: FormState): Promise<Response> {
  const { csrfToken, setCookie } = await sessions.formToken(request);
  const { wanted, name = '', problem, status = 200, headers = {} } = state;
  return htmlResponse({
    title: 'Sign in',
    isNarrow: true,
    status,
    headers,
    setCookie,
    body: html`<h1>Sign in to Sextant</h1>
      ${problem && notice('danger', problem)}
      <div class="card">
        ${postForm({
          action: path,
          csrfToken,
          hidden: wanted === null ? {} : { return: returnPath(wanted) },
          body: [
            field({
              label: 'Name',
              name: 'name',
              value: name,
              autocomplete: 'username',
              isRequired: true,
              hasFocus: name === '',
            }),
            field({
              label: 'Password',
              name: 'password',
              type: 'password',
              autocomplete: 'current-password',
              isRequired: true,
              hasFocus: name !== '',
            }),
            button('Sign in', { isWide: true }),
          ],
        })}
      </div>
      <p class="quiet">No password yet? Whoever runs this server sets one with <code>sextant user password NAME</code>, or sends you a link: <code>sextant user link NAME</code>.</p>`,
  });
}
