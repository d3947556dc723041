import type { Command } from 'commander';
import type { Configuration } from '../config.ts';
import { withCommonOptions } from './common-options.ts';
import { openSession } from './session.ts';
import type { CommonOptions } from './working-directory.ts';

interface PluginRow {
  name: string;
  key: string;
  state: 'loaded' | 'failed';
  tools: string[];
  reason?: string;
}

/** `sextant plugin list` */
export function addPluginCommands(program: Command): void {
  const plugin = program.command('plugin').description('plugins of this configuration');
  withCommonOptions(plugin.command('list').description('loaded plugins, their tools and state')).action(
    async (options: CommonOptions & { json?: true }) => {
      const { configuration } = await openSession(options);
      const plugins = rowsOf(configuration);
      process.stdout.write(`${options.json ? JSON.stringify({ plugins }, null, 2) : asTable(plugins)}\n`);
    },
  );
}

function rowsOf({ loaded, quarantined }: Configuration): PluginRow[] {
  const rows = loaded.map(
    ({ key, plugin }): PluginRow => ({
      name: plugin.name,
      key,
      state: 'loaded',
      tools: plugin.tools.map(({ name }) => name),
    }),
  );
  const failed = quarantined.map(
    ({ plugin, reason }): PluginRow => ({ name: plugin, key: plugin, state: 'failed', tools: [], reason }),
  );
  return [...rows, ...failed].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function asTable(rows: readonly PluginRow[]): string {
  const width = Math.max(...rows.map(({ name }) => name.length));
  return rows
    .map(({ name, state, tools, reason }) => `${name.padEnd(width)}  ${state}  ${reason ?? tools.join(', ')}`.trimEnd())
    .join('\n');
}
