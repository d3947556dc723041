import { Principals, Registry, SextantError, builtInEndpoints, requireMcpAccess, runGuarded } from '@sextant/core';
import type { Assembly, Caller, Needs, Outcome, Resolved, Tool } from '@sextant/core';
import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { withCommonOptions } from './options/common-options.ts';
import { guardLimitsOf } from '../server/settings.ts';
import { fillToolbox } from '../server/toolbox.ts';
import { addArguments, readArguments } from './options/schema-options.ts';
import { withRepos } from './options/serve-options.ts';
import { withServices } from './session.ts';
import type { Session } from './session.ts';
import { interruptSignal, print } from './terminal/terminal.ts';
import type { CommonOptions } from './options/working-directory.ts';

interface Options extends CommonOptions {
  user: string;
  json?: true;
}

/** `sextant tool NAME --arg value…`: one subcommand for each tool that the configuration enables. */
export function addToolCommand(program: Command, session: Session): void {
  const { plugins, settings } = session.configuration;
  const registry = new Registry({
    plugins: plugins.map(({ plugin }) => plugin),
    disabledTools: settings['mcp.tools.disabled'],
  });
  const parent = withRepos(program.command('tool')).description('run one tool as a user would, and print its answer');
  for (const { tool } of registry.list(builtInEndpoints.all) ?? []) {
    const command = parent.command(tool.name).summary(tool.title).description(tool.description);
    const described = { schema: tool.inputSchema, positionals: [] };
    addArguments(command, described).option('--user <name>', 'whose permissions it has', 'admin');
    if (tool.inputSchema.properties?.['repos'] === undefined) command.addOption(misplacedRepos());
    withCommonOptions(command).action(async (options: Options) => {
      const outcome = await runAs(tool, { input: readArguments(command, described), options, session, registry });
      if (!outcome.ok) throw outcome.error;
      print(options.json ? JSON.stringify(outcome.structured, null, 2) : outcome.text);
    });
  }
}

/** Behind the name of a tool, `--repos` would be an argument of it. */
const misplacedRepos = (): Option =>
  new Option('--repos <folder>').hideHelp().argParser(() => {
    throw new InvalidArgumentError('It stands before the name of the tool.');
  });

interface Run {
  input: unknown;
  options: Options;
  session: Session;
  registry: Registry;
}

function runAs(tool: Tool, { input, options, session, registry }: Run): Promise<Outcome> {
  const needs = { ...tool.needs, [principalsKey]: Principals };
  return withServices(session, { data: options.data, needs }, async (assembly) => {
    await assembly.ready();
    const caller = await callerNamed(options.user, assembly);
    requireMcpAccess(caller);
    const limits = guardLimitsOf(session.configuration.settings);
    const servicesOf = (it: Pick<Tool, 'needs'>): Resolved<Needs> => assembly.services.resolve(it.needs);
    fillToolbox(assembly.services, { registry, limits, servicesOf });
    return runGuarded({
      tool,
      input,
      services: servicesOf(tool),
      call: {
        caller,
        endpoint: builtInEndpoints.all,
        clientName: 'sextant tool',
        signal: interruptSignal(),
        log: session.log,
        reportProgress() {},
      },
      limits,
    });
  });
}

const principalsKey = 'sextant:principals';

/** The caller that a local user is. Throws `not_found`. */
export async function callerNamed(name: string, { services }: Pick<Assembly, 'services'>): Promise<Caller> {
  const caller = await services.resolve({ principals: Principals }).principals.named(name);
  if (!caller) throw new SextantError('not_found', `there is no enabled user named "${name}"; choose one with --user`);
  return caller;
}
