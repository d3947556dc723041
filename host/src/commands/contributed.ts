import type { Command as Contributed } from '@sextant/core';
import type { Command } from 'commander';
import { configSchema, validateSection } from '../config/validate.ts';
import { keyPath } from '../config/problems.ts';
import { withCommonOptions } from './options/common-options.ts';
import { addArguments, kebab, readArguments } from './options/schema-options.ts';
import { withRepos } from './options/serve-options.ts';
import { withServices } from './session.ts';
import type { Session } from './session.ts';
import { complain, interruptSignal, print, readSecret } from './terminal/terminal.ts';
import { UsageError } from './options/usage-error.ts';
import type { CommonOptions } from './options/working-directory.ts';

/** The commands that plugins bring: `token create` is the command `create` in the group `token`. */
export function addContributedCommands(program: Command, session: Session): void {
  for (const { plugin } of session.configuration.plugins)
    for (const contributed of plugin.commands) addOne(program, contributed, session);
}

function addOne(program: Command, contributed: Contributed, session: Session): void {
  const words = contributed.name.split(' ');
  const group = words.slice(0, -1).reduce(groupNamed, program);
  const command = group.command(words.at(-1) ?? contributed.name).description(contributed.summary);
  const described = { schema: configSchema(contributed.input), positionals: contributed.positionals };
  withRepos(withCommonOptions(addArguments(command, described))).action(async () => {
    const input = parseInput(contributed, readArguments(command, described));
    const options: CommonOptions & { json?: true } = command.opts();
    const output = await runWithServices(contributed, { input, options, session });
    const text = options.json ? JSON.stringify(output, null, 2) : contributed.toText(output);
    if (text !== '') print(text);
  });
}

const groupNamed = (parent: Command, word: string): Command =>
  parent.commands.find((command) => command.name() === word) ?? parent.command(word).description(`${word} commands`);

interface Run {
  input: unknown;
  options: CommonOptions;
  session: Session;
}

function runWithServices(
  { needs, alsoStarts, output, run }: Contributed,
  { input, options, session }: Run,
): Promise<unknown> {
  return withServices(session, { data: options.data, needs, alsoStarts }, async ({ services }) => {
    const io = { signal: interruptSignal(), readSecret, showProgress: (line: string) => complain(line) };
    return output.parse(await run(input, services.resolve(needs), io));
  });
}

/** Throws `UsageError` that names each wrong option. */
function parseInput({ input, positionals }: Contributed, given: Record<string, unknown>): unknown {
  const parsed = validateSection<unknown>({ schema: input, value: given, raw: given, pathOf: (path) => path });
  if (parsed.ok) return parsed.data;
  const name = ([first, ...rest]: readonly PropertyKey[]): string =>
    `${positionals.includes(String(first)) ? '' : '--'}${keyPath([kebab(String(first)), ...rest])}`;
  throw new UsageError(parsed.problems.map(({ path, text }) => `${name(path)}: ${text}`).join('\n'));
}
