import { SextantError, messageOf } from '@sextant/core';
import { Command, CommanderError, Option } from 'commander';
import { ConfigError } from '../config/problems.ts';
import manifest from '../../package.json' with { type: 'json' };
import { commonOptionsIn, reposIn, withCommonOptions } from './options/common-options.ts';
import { addBackupCommands } from './backup.ts';
import { addConfigCommands } from './config.ts';
import { addDoctorCommand } from './doctor.ts';
import { addPluginCommands } from './plugin.ts';
import { withKebabOptions } from './options/schema-options.ts';
import { roles } from '../roles/roles.ts';
import { defaultAddress, parsePort, withRepos } from './options/serve-options.ts';
import type { ServeOptions } from './serve.ts';
import type { StdioOptions } from './stdio.ts';
import { complain } from './terminal/terminal.ts';
import { addUpgradeCommand } from './upgrade.ts';
import { UsageError } from './options/usage-error.ts';

const exitCodes = { done: 0, failed: 1, wrongUsage: 2 } as const;

/** Commands that exist whatever the configuration says; for any other its plugins are loaded first. */
const ownCommands = new Set(['serve', 'backup', 'restore', 'config', 'doctor', 'plugin', 'stdio', 'upgrade']);

/** Runs one command; the answer is the exit code. Errors are one sentence on standard error. */
export async function runProgram(argv: readonly string[]): Promise<number> {
  const program = newProgram();
  try {
    if (!ownCommands.has(argv[0] ?? '') && !wantsVersion(argv)) await addFromPlugins(program, argv);
    if (argv.length === 0) program.help({ error: true });
    await program.parseAsync(argv[0] === 'tool' ? withKebabOptions(argv) : argv, { from: 'user' });
    return Number(process.exitCode ?? exitCodes.done);
  } catch (error) {
    return report(error);
  }
}

function newProgram(): Command {
  const program = new Command('sextant')
    .description('Code search, navigation and history of git repositories for AI agents and people')
    .version(manifest.version, '--version')
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeErr: (text) => complain(text, '') })
    .showHelpAfterError('(--help shows what is allowed)');
  withRepos(withCommonOptions(program.command('serve')))
    .description('serve repositories over HTTP')
    .option(
      '--port <number>',
      `port to listen on; 0: any free one (default: "port" of the configuration, else ${defaultAddress.port})`,
      parsePort,
    )
    .option(
      '--host <address>',
      `address to listen on (default: "host" of the configuration, else ${defaultAddress.host})`,
    )
    .addOption(
      new Option('--role <role>', 'what this process is, where the configuration has "cluster"').choices(roles),
    )
    .option('--node <name>', 'which node of the cluster this is (default: the name of the machine)')
    .option('--watch', 'load plugins beside the configuration again when their files change')
    .action(async (options: ServeOptions) => (await import('./serve.ts')).serve(options));
  withRepos(withCommonOptions(program.command('stdio')))
    .description('serve one local user over standard input and output')
    .option('--user <name>', 'whose permissions it has', 'admin')
    .action(async (options: StdioOptions) => (await import('./stdio.ts')).stdio(options));
  addBackupCommands(program);
  addConfigCommands(program);
  addDoctorCommand(program);
  addPluginCommands(program);
  addUpgradeCommand(program);
  return program;
}

const wantsVersion = ([word]: readonly string[]): boolean => word === '--version';
const wantsHelp = ([word]: readonly string[]): boolean =>
  word === undefined || word === '--help' || word === '-h' || word === 'help';

/** The commands of plugins, and one for each tool. Help is shown without them when the configuration is wrong. */
async function addFromPlugins(program: Command, argv: readonly string[]): Promise<void> {
  const [{ openSession }, { addContributedCommands }, { addToolCommand }] = await Promise.all([
    import('./session.ts'),
    import('./contributed.ts'),
    import('./tool.ts'),
  ]);
  try {
    const session = await openSession(commonOptionsIn(argv), reposIn(argv));
    addContributedCommands(program, session);
    addToolCommand(program, session);
  } catch (error) {
    if (!wantsHelp(argv)) throw error;
    program.addHelpText(
      'after',
      `\nThe commands of plugins are not shown, because the configuration is wrong:\n${messageOf(error)}`,
    );
  }
}

function report(error: unknown): number {
  // Commander has written its message already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.wrongUsage;
  const isExpected = error instanceof SextantError || error instanceof UsageError;
  complain(`${error instanceof ConfigError ? '' : 'error: '}${messageOf(error)}`);
  if (process.env['SEXTANT_DEBUG']) complain(error instanceof Error ? (error.stack ?? '') : '');
  else if (!isExpected) complain('(with SEXTANT_DEBUG=1 it says where)');
  return isWrongUsage(error) ? exitCodes.wrongUsage : exitCodes.failed;
}

const isWrongUsage = (error: unknown): boolean =>
  error instanceof UsageError ||
  (error instanceof SextantError && error.code === 'invalid_argument' && !(error instanceof ConfigError));
