import { Directory } from '@sextant/contracts';
import { Assembly, Principals, silentLogger } from '@sextant/core';
import type { Command, ConfiguredPlugin, Plugin, PluginContext } from '@sextant/core';
import sqlite from '@sextant/service-sqlite';
import type { z } from 'zod';
import type { config } from '../config.ts';
import plugin from '../index.ts';

export interface StartedDirectory extends AsyncDisposable {
  readonly directory: Directory;
  readonly principals: Principals;
  /** Runs a command as the program does and answers what it prints. */
  run(name: string, input: object): Promise<string>;
}

/** The plugin started as the host starts it, as a process of its own on a data folder. */
export async function startDirectory(dataFolder: string, settings: z.input<typeof config> = {}): Promise<StartedDirectory> {
  const context: PluginContext = { log: silentLogger, dataFolder, externalURL: 'http://localhost', configFolder: dataFolder };
  const configured = (part: Plugin, given: object): ConfiguredPlugin => ({ plugin: part, config: part.config.parse(given), isOptional: false });
  const assembly = await Assembly.start({ plugins: [configured(sqlite, {}), configured(plugin, settings)], contextOf: () => context });
  return {
    ...assembly.services.resolve({ directory: Directory, principals: Principals }),
    run: (name, input) => runCommand(assembly, name, input),
    [Symbol.asyncDispose]: () => assembly.close(),
  };
}

async function runCommand({ plugins, services }: Assembly, name: string, given: object): Promise<string> {
  const command: Command | undefined = plugins.flatMap(({ commands }) => commands).find((each) => each.name === name);
  if (!command) throw new Error(`there is no command ${name}`);
  const io = { signal: new AbortController().signal, readSecret: () => Promise.reject(new Error('there is no terminal')) };
  const answer = await command.run(command.input.parse(given), services.resolve(command.needs), io);
  return command.toText(command.output.parse(answer));
}
