import type { OAuthClientInfo, PageFrame } from '@sextant/contracts';
import {
  ago,
  breadcrumbs,
  button,
  card,
  facts,
  html,
  htmlResponse,
  linkButton,
  moment,
  notice,
  postForm,
} from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { redirectsField } from './new-client-form.ts';
import { editPath, path } from './paths.ts';

/** What stands on the page of one client. */
export interface ClientView {
  frame: PageFrame;
  csrfToken: string;
  setCookie: string | undefined;
  client: OAuthClientInfo;
  /** What was typed and is not good. */
  redirectUris?: readonly string[];
  problem?: string;
  status?: number;
}

export const showClient = (view: ClientView): Response =>
  htmlResponse({
    ...view.frame,
    title: view.client.name,
    setCookie: view.setCookie,
    status: view.status ?? 200,
    body: html`${breadcrumbs([{ title: 'OAuth clients', path }], view.client.name)}
      <h1>${view.client.name}</h1>
      ${view.problem && notice('danger', view.problem)}
      ${card({ title: 'About', body: about(view.client) })}
      ${view.client.managedBy === 'operator' && card({ title: 'Where it may send people', body: redirects(view) })}
      ${view.client.managedBy !== 'config' && card({ title: 'Remove', body: removal(view) })}`,
  });

const keptBy = {
  config: 'the configuration (key oauthClients), and changed there',
  operator: 'administrators',
  registered: 'itself: it registered, and nobody has checked its name',
} as const;

const about = ({ clientId, isConfidential, managedBy, created, lastUsed }: OAuthClientInfo): Content =>
  facts({
    'Client id': html`<span class="mono">${clientId}</span>`,
    Kind: isConfidential ? 'confidential' : 'public',
    'Kept by': keptBy[managedBy],
    ...(created !== undefined && { Created: moment(created) }),
    'Last let in': lastUsed === undefined ? 'never' : ago(lastUsed),
  });

const redirects = ({ client, redirectUris, csrfToken }: ClientView): Content =>
  postForm({
    action: editPath,
    csrfToken,
    hidden: { client: client.clientId },
    body: [
      redirectsField(redirectUris ?? client.redirectUris),
      html`<div class="row">${button('Save')} ${linkButton('Cancel', path, { kind: 'plain' })}</div>`,
    ],
  });

const removal = ({ client: { clientId, name }, csrfToken }: ClientView): Content =>
  postForm({
    action: `${path}/remove`,
    csrfToken,
    hidden: { client: clientId },
    body: [
      html`<p>Everybody who let ${name} in must let another client in instead: its tokens end at once.</p>`,
      html`<div>${button('Remove client', { kind: 'danger' })}</div>`,
    ],
  });
