import { navigationOrder } from '@sextant/contracts';
import { ServerState } from '@sextant/core';
import { copyText, html, notice } from '@sextant/library-ui';
import { stringify } from 'yaml';
import { adminPage } from './admin-page.ts';

export const configuration = adminPage({
  name: 'site-admin-configuration',
  title: 'Configuration',
  path: '/configuration',
  order: navigationOrder.configuration,
  needs: { state: ServerState },
  async body({ services: { state } }) {
    const error = state.configurationError();
    return html`<div>
        <h1>Configuration</h1>
        <p class="quiet">What is in force, with defaults. Secrets stay the references that they were written as.</p>
      </div>
      ${error !== undefined && notice('danger', html`<p>The file as it stands now is not in force:</p><pre>${error}</pre>`)}
      ${copyText({ id: 'configuration', text: stringify(state.configuration()), isBlock: true })}`;
  },
});
