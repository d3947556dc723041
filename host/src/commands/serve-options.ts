import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import type { Address } from '../http/listening-address.ts';

export const defaultAddress: Address = { host: '127.0.0.1', port: 7080 };

/** `--repos DIR`, as often as one likes. */
export const withRepos = (command: Command): Command =>
  command.addOption(
    new Option('--repos <folder>', 'a git repository, or a folder with any number of them; repeatable')
      .argParser((folder: string, before: string[]) => [...before, folder])
      .default([], 'the repository one stands in'),
  );

export function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1;
  if (port < 0 || port > 65_535)
    throw new InvalidArgumentError('It must be a whole number between 0 and 65535 (0: any free port).');
  return port;
}
