import type { NewOAuthClient, OAuthClientInfo, PageFrame } from '@sextant/contracts';
import {
  ago,
  button,
  card,
  copyText,
  facts,
  flash,
  html,
  htmlResponse,
  linkButton,
  moment,
  notice,
  pagination,
  postForm,
  table,
  tag,
} from '@sextant/library-ui';
import type { Column, Content } from '@sextant/library-ui';
import { newClientForm } from './new-client-form.ts';
import { editPath, path } from './paths.ts';

export const registeredAtOnce = 50;

/** What stands on the page of all clients. */
export interface Overview {
  frame: PageFrame;
  url: string;
  csrfToken: string;
  setCookie: string | undefined;
  named: readonly OAuthClientInfo[];
  registered: { clients: readonly OAuthClientInfo[]; total: number };
  /** Of the self-registered clients, the number of those before. */
  offset: number;
  /** A client that was just named. */
  created?: OAuthClientInfo & { secret?: string };
  /** What was typed and is not good. */
  typed?: NewOAuthClient;
  problem?: string;
  status?: number;
}

export const showOverview = (view: Overview): Response =>
  htmlResponse({
    ...view.frame,
    title: 'OAuth clients',
    setCookie: view.setCookie,
    status: view.status ?? 200,
    body: html`<div>
        <h1>OAuth clients</h1>
        <p class="quiet">Programs that people let in to read code in their name. Everything here takes effect at once.</p>
      </div>
      ${flash(view.url, { changed: 'The client was changed.', removed: 'The client and its access were removed.' })}
      ${view.problem && notice('danger', view.problem)} ${view.created && created(view.created)}
      ${card({ title: 'Named clients', body: named(view) })}
      ${card({ title: 'New client', body: newClientForm(view.csrfToken, view.typed) })}
      ${card({ title: 'Self-registered clients', body: registered(view), aside: tag(String(view.registered.total)) })}`,
  });

const created = ({ clientId, name, secret }: OAuthClientInfo & { secret?: string }): Content =>
  notice(
    'success',
    html`<div class="stack">
      <p><strong>${name} may connect.</strong> ${secret !== undefined && 'Copy its secret now. It is not shown again.'}</p>
      ${facts({
        'Client id': copyText({ id: 'new-client', text: clientId, label: 'Copy client id' }),
        ...(secret !== undefined && {
          'Client secret': copyText({ id: 'new-secret', text: secret, label: 'Copy client secret' }),
        }),
      })}
    </div>`,
  );

const client: Column<OAuthClientInfo> = {
  title: 'Client',
  cell: ({ name, clientId }) => html`<strong>${name}</strong><br /><span class="quiet mono">${clientId}</span>`,
};
const redirects: Column<OAuthClientInfo> = {
  title: 'Redirects to',
  cell: ({ redirectUris }) =>
    redirectUris.length === 0
      ? 'nowhere (device flow)'
      : redirectUris.map((uri) => html`<div class="mono">${uri}</div>`),
};
const kind: Column<OAuthClientInfo> = {
  title: 'Kind',
  cell: ({ isConfidential }) => tag(isConfidential ? 'confidential' : 'public'),
};
const lastUsed: Column<OAuthClientInfo> = {
  title: 'Last let in',
  cell: ({ lastUsed: at }) => (at === undefined ? html`<span class="quiet">never</span>` : ago(at)),
};

const named = ({ named: clients }: Overview): Content =>
  table({
    caption: 'Named clients',
    rows: clients,
    empty: 'No client is named yet. Clients that cannot or must not register themselves are named below.',
    columns: [
      client,
      kind,
      redirects,
      { ...lastUsed, cell: (row) => (row.managedBy === 'config' ? undefined : lastUsed.cell(row)) },
      {
        title: '',
        cell: ({ managedBy, clientId, name }) =>
          managedBy === 'config'
            ? tag('managed in the configuration', 'info')
            : linkButton('Edit', `${editPath}?${new URLSearchParams({ client: clientId })}`, {
                kind: 'plain',
                isSmall: true,
                label: `Edit ${name}`,
              }),
      },
    ],
  });

function registered({ registered: { clients, total }, offset, csrfToken }: Overview): Content {
  const next = offset + registeredAtOnce;
  return [
    table({
      caption: 'Self-registered clients',
      rows: clients,
      empty: 'No client has registered itself. Their names are their own choice: nobody has checked them.',
      columns: [
        client,
        redirects,
        { title: 'Registered', cell: ({ created: at }) => (at === undefined ? undefined : moment(at)) },
        lastUsed,
        { title: '', cell: (row) => removal(row, csrfToken) },
      ],
    }),
    pagination({
      previous: offset > 0 ? pageAt(Math.max(0, offset - registeredAtOnce)) : undefined,
      next: next < total ? pageAt(next) : undefined,
      position: `${offset + 1}–${Math.min(next, total)} of ${total}`,
    }),
  ];
}

const pageAt = (from: number): string => (from === 0 ? path : `${path}?from=${from}`);

const removal = ({ clientId, name }: OAuthClientInfo, csrfToken: string): Content =>
  postForm({
    action: `${path}/remove`,
    csrfToken,
    hidden: { client: clientId },
    isInline: true,
    body: button('Remove', { kind: 'danger', isSmall: true, label: `Remove ${name}` }),
  });
