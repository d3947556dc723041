import type { AccessTokenInfo, PageFrame } from '@sextant/contracts';
import {
  button,
  choice,
  copyText,
  field,
  html,
  htmlResponse,
  notice,
  postForm,
  select,
  table,
} from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';

export const path = '/access-tokens';

/** What stands on the page besides what is always there. */
export interface View {
  frame: PageFrame;
  csrfToken: string;
  setCookie: string | undefined;
  tokens: readonly AccessTokenInfo[];
  /** A token that was just created. */
  secret?: string;
  problem?: string;
  status?: number;
}

export const expiries = { '30d': '30 days', '90d': '90 days', '365d': 'One year', never: 'Never' } as const;

export const show = ({ frame, csrfToken, setCookie, tokens, secret, problem, status = 200 }: View): Response =>
  htmlResponse({
    ...frame,
    title: 'Access tokens',
    setCookie,
    status,
    body: html`<div>
        <h1>Access tokens</h1>
        <p class="quiet">For scripts, and for clients that cannot sign in through a browser. A token may do what you may do, within its scopes.</p>
      </div>
      ${problem && notice('danger', problem)} ${secret && created(secret)} ${list(tokens, csrfToken)}
      ${creation(csrfToken)}`,
  });

const created = (secret: string): Content =>
  notice(
    'success',
    html`<div class="stack">
      <p><strong>Copy your new token now.</strong> It is not shown again.</p>
      ${copyText({ id: 'new-token', text: secret, label: 'Copy token' })}
    </div>`,
  );

const list = (tokens: readonly AccessTokenInfo[], csrfToken: string): Content =>
  table({
    caption: 'Your access tokens',
    rows: tokens,
    empty: 'You have no access tokens yet.',
    columns: [
      { title: 'Name', cell: (token) => html`<strong>${nameOf(token)}</strong>` },
      {
        title: 'Scopes',
        cell: ({ scopes }) =>
          html`<span class="row">${scopes.map((scope) => html`<span class="tag">${scope}</span>`)}</span>`,
      },
      { title: 'Created', cell: ({ created: at }) => day(at) },
      { title: 'Expires', cell: ({ expires }) => (expires === undefined ? 'Never' : day(expires)) },
      { title: 'Last used', cell: ({ lastUsed }) => (lastUsed === undefined ? 'Never' : day(lastUsed)) },
      { title: '', cell: (token) => revocation(token, csrfToken) },
    ],
  });

const revocation = (token: AccessTokenInfo, csrfToken: string): Content =>
  postForm({
    action: `${path}/revoke`,
    csrfToken,
    isInline: true,
    hidden: { id: String(token.id) },
    body: button('Revoke', { kind: 'danger', isSmall: true, label: `Revoke ${nameOf(token)}` }),
  });

const creation = (csrfToken: string): Content =>
  html`<section class="card stack" aria-labelledby="new">
    <h2 id="new">New token</h2>
    ${postForm({
      action: path,
      csrfToken,
      body: [
        field({
          label: 'Name',
          name: 'name',
          hint: 'What you will use it for, such as “laptop” or “nightly build”.',
          maxLength: 100,
        }),
        html`<fieldset>
          <legend>Scopes</legend>
          ${choice({ type: 'checkbox', name: 'scope', value: 'mcp', label: 'mcp', hint: 'Agents: the MCP endpoints, and nothing else', isChecked: true })}
          ${choice({ type: 'checkbox', name: 'scope', value: 'analytics', label: 'analytics', hint: 'The reports of usage' })}
          ${choice({ type: 'checkbox', name: 'scope', value: 'all', label: 'all', hint: 'Everything that you may do, creating tokens too' })}
        </fieldset>`,
        select({ label: 'Expires', name: 'expires', options: expiries, value: '90d' }),
        html`<div>${button('Create token')}</div>`,
      ],
    })}
  </section>`;

const nameOf = ({ id, name }: AccessTokenInfo): string => name || `Token ${id}`;

const day = (time: string): Content => html`<time datetime=${time}>${time.slice(0, 10)}</time>`;
