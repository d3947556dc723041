import { navigationOrder } from '@sextant/contracts';
import { ServerState } from '@sextant/core';
import type { PluginState } from '@sextant/core';
import { copyText, count, html, notice, table, tag } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { stringify } from 'yaml';
import { adminPage } from './admin-page.ts';
import { titleOf } from './failures.ts';
import { pageOf } from './long-list.ts';

const path = '/plugins';

const kinds: Readonly<Record<string, (plugin: PluginState) => boolean>> = {
  All: () => true,
  Failed: ({ reason }) => reason !== undefined,
  Added: ({ origin }) => !origin?.isOfPreset,
  Tools: ({ tools }) => tools.length > 0,
  Pages: ({ brings }) => brings?.['pages'] !== undefined,
  Services: ({ brings }) => brings?.['services'] !== undefined,
  Others: ({ tools, brings }) => tools.length === 0 && !brings?.['pages'] && !brings?.['services'],
};

export const plugins = adminPage({
  name: 'site-admin-plugins',
  title: 'Plugins',
  path,
  order: navigationOrder.plugins,
  needs: { state: ServerState },
  async body({ services: { state }, url }) {
    const all = state.plugins();
    const failed = all.filter(({ reason }) => reason !== undefined);
    const own = all.filter(({ origin }) => origin?.isOfPreset);
    const configs = configsIn(state.configuration());
    const list = pageOf(url.searchParams, {
      path,
      rows: all,
      textOf: ({ name, origin, tools }) =>
        [name, origin?.description, origin?.key, ...tools.map((tool) => tool.name)].join(' '),
      kinds,
    });
    return html`<div>
        <h1>Plugins</h1>
        <p class="quiet">${count(all.length, 'plugin')}, ${own.length.toLocaleString('en')} of which come with Sextant.
        They are added, set and switched off below <code>plugins</code> in the configuration.</p>
      </div>
      ${failed.map(({ name, reason }) => notice('danger', html`<strong>${name}</strong> does not run: ${reason}`))}
      ${list.form}
      ${table<PluginState>({ caption: 'Plugins', columns: columnsOf(configs), rows: list.rows, empty: 'There is no plugin like that.' })}
      ${list.pages}`;
  },
});

/** Settings by plugin, from what is in force. */
function configsIn({ plugins: given }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return typeof given === 'object' && given !== null ? { ...given } : {};
}

const columnsOf = (configs: Readonly<Record<string, unknown>>) => [
  {
    title: 'Plugin',
    cell: ({ name, origin }: PluginState) =>
      html`<div><span class="strong">${name}</span> <small class="quiet">${origin?.version}</small></div>
        ${origin?.description !== undefined && html`<small>${origin.description}</small>`}`,
  },
  { title: 'State', cell: stateOf },
  {
    title: 'From',
    cell: ({ origin }: PluginState) => origin && (origin.isOfPreset ? 'Sextant' : html`<code>${origin.key}</code>`),
  },
  {
    title: 'Tools',
    cell: ({ tools }: PluginState) =>
      tools.map(
        ({ name, endpoints }) => html`<div><code>${name}</code> ${endpoints.length === 0 && tag('Disabled')}</div>`,
      ),
  },
  {
    title: 'Details',
    cell: (plugin: PluginState) =>
      detailsOf(plugin, configs[plugin.origin?.key ?? plugin.name] ?? configs[plugin.name]),
  },
];

const stateOf = ({ reason, isStarting, origin }: PluginState): Content => [
  isStarting ? tag('Starting') : reason === undefined ? tag('Running', 'success') : tag('Failed', 'danger'),
  origin?.isIsolated && html`<div><small class="quiet">in a process of its own</small></div>`,
];

/** What a plugin brings, what it needs and how it is set, folded: of most plugins nobody asks. */
function detailsOf({ name, tools, brings = {}, needs = [] }: PluginState, settings: unknown): Content {
  const hasSettings = typeof settings === 'object' && settings !== null && Object.keys(settings).length > 0;
  const rows = [
    ...tools.map((tool) => [tool.name, tool.endpoints] as const),
    ...Object.entries(brings).map(([kind, names]) => [titleOf(kind), names] as const),
    ['Needs', needs] as const,
  ].filter(([, names]) => names.length > 0);
  if (rows.length === 0 && !hasSettings) return undefined;
  return html`<details>
    <summary aria-label=${`Show the details of ${name}`}>Show</summary>
    <div class="stack">
      ${rows.map(([title, names]) => html`<div><small class="quiet">${title}</small> ${listed(names)}</div>`)}
      ${hasSettings && html`<div><small class="quiet">Settings</small> ${copyText({ id: `settings-${name}`, text: stringify(settings), isBlock: true })}</div>`}
    </div>
  </details>`;
}

const listed = (names: readonly string[]): Content =>
  names.map((name, index) => [index > 0 && ', ', html`<code>${name}</code>`]);
