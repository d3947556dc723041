import { navigationOrder } from '@sextant/contracts';
import { ServerState } from '@sextant/core';
import type { PluginState } from '@sextant/core';
import { copyText, html, notice, table, tag } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { stringify } from 'yaml';
import { adminPage } from './admin-page.ts';

export const plugins = adminPage({
  name: 'site-admin-plugins',
  title: 'Plugins',
  path: '/plugins',
  order: navigationOrder.plugins,
  needs: { state: ServerState },
  async body({ services: { state } }) {
    const all = state.plugins();
    const failed = all.filter(({ reason }) => reason !== undefined);
    const configs = configsIn(state.configuration());
    return html`<h1>Plugins</h1>
      ${failed.map(({ name, reason }) => notice('danger', html`<strong>${name}</strong> does not run: ${reason}`))}
      ${table<PluginState>({ caption: 'Plugins', columns: columnsOf(configs), rows: all, empty: 'No plugin runs.' })}`;
  },
});

/** Settings by plugin, from what is in force. */
function configsIn({ plugins: given }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return typeof given === 'object' && given !== null ? { ...given } : {};
}

const columnsOf = (configs: Readonly<Record<string, unknown>>) => [
  { title: 'Plugin', cell: ({ name }: PluginState) => html`<span class="strong">${name}</span>` },
  {
    title: 'State',
    cell: ({ reason, isStarting }: PluginState) =>
      isStarting ? tag('Starting') : reason === undefined ? tag('Running', 'success') : tag('Failed', 'danger'),
  },
  { title: 'Tools', cell: ({ tools }: PluginState) => tools.map(toolOf) },
  { title: 'Settings', cell: ({ name }: PluginState) => settingsOf(name, configs[name]) },
];

const toolOf = ({ name, endpoints }: PluginState['tools'][number]): Content =>
  html`<div><code>${name}</code> <small class="quiet">${endpoints.length === 0 ? 'disabled' : endpoints.join(', ')}</small></div>`;

function settingsOf(name: string, settings: unknown): Content {
  if (typeof settings !== 'object' || settings === null || Object.keys(settings).length === 0)
    return html`<span class="quiet">none</span>`;
  return html`<details>
    <summary aria-label=${`Show the settings of ${name}`}>Show</summary>
    ${copyText({ id: `settings-${name}`, text: stringify(settings), isBlock: true })}
  </details>`;
}
