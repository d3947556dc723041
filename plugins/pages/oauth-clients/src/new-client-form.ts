import type { NewOAuthClient } from '@sextant/contracts';
import { button, choice, field, html, postForm } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { path } from './paths.ts';

/** The form that names a client, with what was typed before. */
export const newClientForm = (csrfToken: string, typed?: NewOAuthClient): Content =>
  postForm({
    action: path,
    csrfToken,
    body: [
      field({
        label: 'Name',
        name: 'name',
        value: typed?.name ?? '',
        hint: 'Shown to people who are asked to let it in.',
        maxLength: 100,
        isRequired: true,
      }),
      redirectsField(typed?.redirectUris ?? []),
      html`<fieldset>
        <legend>Kind</legend>
        ${choice({ type: 'radio', name: 'kind', value: 'public', label: 'Public', hint: 'Runs on people’s computers and keeps no secret: PKCE proves that it is the same one.', isChecked: typed?.isConfidential !== true })}
        ${choice({ type: 'radio', name: 'kind', value: 'confidential', label: 'Confidential', hint: 'Runs on a server that keeps a secret, which is shown once.', isChecked: typed?.isConfidential === true })}
      </fieldset>`,
      field({
        label: 'Client id',
        name: 'id',
        value: typed?.clientId ?? '',
        hint: 'Left empty, one is made up.',
        maxLength: 100,
        autocomplete: 'off',
      }),
      html`<div>${button('Create client')}</div>`,
    ],
  });

export const redirectsField = (redirectUris: readonly string[]): Content =>
  html`<div class="field">
    <label for="field-redirects">Redirect URIs</label>
    <textarea
      id="field-redirects"
      name="redirects"
      rows="3"
      class="mono"
      spellcheck=${false}
      aria-describedby="field-redirects-hint"
    >${redirectUris.join('\n')}</textarea>
    <small id="field-redirects-hint"
      >One on each line: https, http to this computer (any port), or a scheme of the application. None: it connects devices only.</small
    >
  </div>`;
