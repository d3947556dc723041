import type { Command } from '../surface/command.ts';
import { Assembly } from '../plugins/lifecycle.ts';
import type { ConfiguredPlugin } from '../plugins/lifecycle.ts';
import { silentLogger } from '../plugins/logger.ts';
import { silentMetrics } from '../plugins/metrics.ts';
import type { Plugin, PluginContext, ServiceStatus } from '../plugins/plugin.ts';
import type { Caller } from '../calls/policy.ts';
import type { Services } from '../plugins/services.ts';

export interface StartedPlugins extends AsyncDisposable {
  readonly services: Services;
  /** Asks the authenticators in turn, as the host does. */
  authenticate(headers: Record<string, string>): Promise<Caller | undefined>;
  /** Tells the plugins that all have started, as the host does. */
  ready(): Promise<void>;
  status(): Record<string, ServiceStatus>;
  /** Runs a command as the program does and answers what it prints without `--json`. */
  run(command: string, input: object): Promise<string>;
}

/** Starts real plugins as the host does, each with its configuration, as a process of its own on a data folder. */
export async function startPlugins(
  dataFolder: string,
  plugins: readonly (readonly [Plugin, object?])[],
): Promise<StartedPlugins> {
  const context: PluginContext = {
    log: silentLogger,
    metrics: silentMetrics,
    dataFolder,
    externalURL: 'http://localhost',
    configFolder: dataFolder,
  };
  const configured = plugins.map(
    ([plugin, config = {}]): ConfiguredPlugin => ({ plugin, config: plugin.config.parse(config), isOptional: false }),
  );
  const assembly = await Assembly.start({ plugins: configured, contextOf: () => context });
  return {
    services: assembly.services,
    ready: () => assembly.ready(),
    status: () => assembly.status(),
    authenticate: (headers) => authenticate(assembly, new Headers(headers)),
    run: (command, input) => runCommand(assembly, command, input),
    [Symbol.asyncDispose]: () => assembly.close(),
  };
}

async function authenticate({ plugins, services }: Assembly, headers: Headers): Promise<Caller | undefined> {
  for (const authenticator of plugins.flatMap(({ authenticators }) => authenticators)) {
    const caller = await authenticator.authenticate({ headers }, services.resolve(authenticator.needs));
    if (caller) return caller;
  }
  return undefined;
}

async function runCommand({ plugins, services }: Assembly, name: string, given: object): Promise<string> {
  const command: Command | undefined = plugins.flatMap(({ commands }) => commands).find((each) => each.name === name);
  if (!command) throw new Error(`there is no command ${name}`);
  const io = {
    signal: new AbortController().signal,
    readSecret: () => Promise.reject(new Error('there is no terminal')),
    showProgress: () => undefined,
  };
  const answer = await command.run(command.input.parse(given), services.resolve(command.needs), io);
  return command.toText(command.output.parse(answer));
}
