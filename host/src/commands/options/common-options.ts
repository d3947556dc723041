import type { Command } from 'commander';
import type { CommonOptions } from './working-directory.ts';

/** The options of every command that reads the configuration. */
export const withCommonOptions = (command: Command): Command =>
  command
    .option('--config <file>', 'configuration file (default: found from here upwards)')
    .option('--data <folder>', 'database and clones (default: .sextant beside the configuration)')
    .option('--json', 'print JSON');

/** Every `--repos`. Behind the name of a tool it may be an argument of the tool itself. */
export function reposIn([command, ...words]: readonly string[]): string[] {
  if (command === 'tool') return leadingRepos(words);
  return words.flatMap((_, index) => leadingRepos(words.slice(index, index + 2)).slice(0, 1));
}

function leadingRepos(argv: readonly string[]): string[] {
  const [flag = '', folder] = argv;
  if (flag.startsWith('--repos=')) return [flag.slice('--repos='.length), ...leadingRepos(argv.slice(1))];
  return flag === '--repos' && folder !== undefined ? [folder, ...leadingRepos(argv.slice(2))] : [];
}

/** The same options, before it is known which command they belong to: plugins bring commands, and must be found first. */
export function commonOptionsIn(argv: readonly string[]): CommonOptions {
  const valueOf = (flag: string): string | undefined => {
    const index = argv.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
    const word = argv[index];
    return word?.startsWith(`${flag}=`) ? word.slice(flag.length + 1) : argv[index + 1];
  };
  const has = (flag: string): boolean => argv.some((word) => word === flag || word.startsWith(`${flag}=`));
  const config = has('--config') ? valueOf('--config') : undefined;
  const data = has('--data') ? valueOf('--data') : undefined;
  return { ...(config !== undefined && { config }), ...(data !== undefined && { data }) };
}
