import { join } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import type { Quarantined } from '@sextant/core';
import type { Configuration } from '../config/config.ts';
import { withCommonOptions } from './options/common-options.ts';
import { isPlainObject } from '../config/secrets.ts';
import { openSession, startOptions } from './session.ts';
import type { Session } from './session.ts';
import { logMistakes, startGeneration } from '../server/start.ts';
import { print } from './terminal/terminal.ts';
import { pluginKinds } from '../plugin-kit/plugin-kinds.ts';
import type { PluginKind } from '../plugin-kit/plugin-kinds.ts';
import { typedPath, workingDirectory } from './options/working-directory.ts';
import type { CommonOptions } from './options/working-directory.ts';

interface PluginRow {
  name: string;
  key: string;
  state: 'loaded' | 'failed';
  tools: string[];
  resources: string[];
  prompts: string[];
  wraps: string[];
  isolation?: 'in-process' | 'process';
  trusted?: boolean;
  ofPreset?: boolean;
  capabilities: readonly string[];
  reason?: string;
}

/** `sextant plugin list|new|check` */
export function addPluginCommands(program: Command): void {
  const plugin = program.command('plugin').description('plugins of this configuration');
  withCommonOptions(plugin.command('list').description('loaded plugins, their tools, resources, prompts and state'))
    .option('--start', 'start them, too, to see which fail then')
    .action(async (options: CommonOptions & { json?: true; start?: true }) => {
      const session = await openSession(options);
      const failed = options.start ? await failuresOfStart(session, options.data) : [];
      const plugins = rowsOf(session.configuration, failed);
      print(options.json ? JSON.stringify({ plugins }, null, 2) : asTable(plugins));
    });
  plugin
    .command('new')
    .description('write a package with a plugin that works, its test and its build, into a folder of its own')
    .argument('<name>', 'of the package, such as tool-tickets or @acme/tool-tickets')
    .addOption(new Option('--kind <kind>', 'what it brings').choices(pluginKinds).default('tool' satisfies PluginKind))
    .option('--json', 'print JSON')
    .action(writeNew);
  plugin
    .command('check')
    .description('run a plugin on a sample and check what every plugin should do; exits 1 when something is wrong')
    .argument('<path>', 'of its folder or file')
    .option('--settings <json>', 'its settings, as in the configuration', parseSettings, {})
    .option('--with <plugin>', 'path or package of another plugin that it needs; repeatable', collect, [])
    .option('--without <name>', 'a plugin of the preset to switch off; repeatable', collect, [])
    .option('--watch', 'check again whenever a file changes')
    .option('--json', 'print JSON')
    .action(check);
}

async function writeNew(name: string, { kind, json }: { kind: PluginKind; json?: true }): Promise<void> {
  const { newPlugin } = await import('../plugin-kit/new-plugin.ts');
  const written = await newPlugin(name, kind, typedPath('.'));
  const text = `${written.files.map((file) => join(written.folder, file)).join('\n')}\nsextant plugin check ${written.folder} checks it`;
  print(json ? JSON.stringify(written, null, 2) : text);
}

const collect = (value: string, before: readonly string[]): string[] => [...before, value];

interface CheckCommand {
  settings: Settings;
  with: readonly string[];
  without: readonly string[];
  watch?: true;
  json?: true;
}

async function check(path: string, { settings, json, watch, ...more }: CheckCommand): Promise<void> {
  if (watch) return (await import('../plugin-kit/check-again.ts')).checkAgain(typedPath(path));
  const { checkPlugin } = await import('../plugin-kit/check-plugin.ts');
  const findings = await checkPlugin(typedPath(path), {
    settings,
    with: await Promise.all(more.with.map(placeOf)),
    without: more.without,
  });
  const wrong = findings.filter(({ problem }) => problem !== undefined).length;
  const lines = findings.map(
    ({ subject, check: name, problem }) =>
      `${problem === undefined ? 'ok  ' : 'FAIL'}  ${subject}: ${name}${problem === undefined ? '' : `\n      ${problem}`}`,
  );
  const summary = wrong === 0 ? `${findings.length} checks passed` : `${wrong} of ${findings.length} checks failed`;
  print(json ? JSON.stringify({ findings }, null, 2) : [...lines, summary].join('\n'));
  if (wrong > 0) process.exitCode = 1;
}

/** The path of a plugin, or of the installed package that has the name. */
async function placeOf(named: string): Promise<string> {
  const { localEntry, packageEntry } = await import('../plugins/plugin-entry.ts');
  const isThere = (await localEntry(named, workingDirectory())) !== undefined;
  const installed = isThere ? undefined : await packageEntry(named, workingDirectory());
  return installed ?? typedPath(named);
}

type Settings = Readonly<Record<string, unknown>>;

function parseSettings(text: string): Settings {
  try {
    const value: unknown = JSON.parse(text);
    if (isPlainObject(value)) return value;
  } catch {
    // Said below, with what is allowed.
  }
  throw new InvalidArgumentError('must be a JSON object, such as {"limit": 5}');
}

/** The plugins that are left out when all start. Throws for a plugin that the server cannot run without. */
async function failuresOfStart(session: Session, data: string | undefined): Promise<readonly Quarantined[]> {
  await logMistakes(session.configuration, session.log);
  const generation = await startGeneration(session.configuration, await startOptions(session, data));
  await generation.retire(0);
  return generation.assembly.quarantined;
}

function rowsOf({ loaded, quarantined: before }: Configuration, failedToStart: readonly Quarantined[]): PluginRow[] {
  const quarantined = [...before, ...failedToStart];
  const failedNames = new Set(quarantined.map(({ plugin }) => plugin));
  const started = loaded.filter(({ plugin }) => !failedNames.has(plugin.name));
  const rows = started.map(
    ({ key, plugin, isolation, isTrusted, isOfPreset }): PluginRow => ({
      name: plugin.name,
      key,
      state: 'loaded',
      tools: plugin.tools.map(({ name }) => name),
      resources: plugin.resources.map(({ uri }) => uri),
      prompts: plugin.prompts.map(({ name }) => name),
      wraps: plugin.wrappers.map(({ service }) => service.name),
      isolation,
      trusted: isTrusted,
      ofPreset: isOfPreset,
      capabilities: plugin.capabilities,
    }),
  );
  const failed = quarantined.map(
    ({ plugin, reason }): PluginRow => ({
      name: plugin,
      key: plugin,
      state: 'failed',
      tools: [],
      resources: [],
      prompts: [],
      wraps: [],
      capabilities: [],
      reason,
    }),
  );
  return [...rows, ...failed].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function asTable(rows: readonly PluginRow[]): string {
  const width = Math.max(...rows.map(({ name }) => name.length));
  return rows
    .map((row) => `${row.name.padEnd(width)}  ${row.state}  ${row.reason ?? broughtBy(row)}`.trimEnd())
    .join('\n');
}

const broughtBy = (row: PluginRow): string =>
  [
    row.tools.join(', '),
    listed('resources', row.resources),
    listed('prompts', row.prompts),
    listed('wraps', row.wraps),
    whereItRuns(row),
    listed('capabilities', row.capabilities),
  ]
    .filter((part) => part)
    .join('; ');

function whereItRuns({ isolation, trusted, ofPreset }: PluginRow): string {
  if (ofPreset) return '';
  if (isolation === 'process') return 'in a process of its own';
  return trusted ? "in the server's process, trusted" : "in the server's process";
}

const listed = (kind: string, names: readonly string[]): string =>
  names.length === 0 ? '' : `${kind} ${names.join(', ')}`;
