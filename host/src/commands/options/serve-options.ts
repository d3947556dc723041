import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import type { Address } from '../../http/listening/listening-address.ts';
import type { HostSettings } from '../../server/settings.ts';

export const defaultAddress: Address = { host: '127.0.0.1', port: 7080 };

/** Where to listen: as the command line says, else as the configuration does. */
export const addressFor = (options: Partial<Address>, { host, port }: HostSettings): Address => ({
  host: options.host ?? host ?? defaultAddress.host,
  port: options.port ?? port ?? defaultAddress.port,
});

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
