import { statfs } from 'node:fs/promises';
import { ServerState, mcpAccess, needsOf } from '@sextant/core';
import type {
  LoggedError,
  Permission,
  Plugin,
  PluginOrigin,
  PluginState,
  ProcessState,
  ServiceStatus,
  SlowCall,
} from '@sextant/core';
import manifest from '../../package.json' with { type: 'json' };
import type { LoadedPlugin } from '../plugins/load-plugins.ts';
import type { Generation } from './generation.ts';
import { residentBytes } from './memory-watch.ts';

/** Given to plugins before the server is there; the newest configuration that came into force fills it. */
export class HostState implements ServerState {
  readonly #dataFolder: string;
  #generation: Generation | undefined;

  constructor(dataFolder: string) {
    this.#dataFolder = dataFolder;
  }

  fill(generation: Generation): void {
    this.#generation = generation;
  }

  plugins(): readonly PluginState[] {
    const { assembly, quarantined, registry, starting: names, loaded } = this.#current();
    const origins = new Map(loaded.map((entry) => [entry.plugin.name, { origin: originOf(entry) }]));
    const ofConfiguration = assembly.plugins.filter(({ name }) => origins.has(name));
    const running = ofConfiguration.map((plugin) => ({
      name: plugin.name,
      tools: plugin.tools.map(({ name }) => ({ name, endpoints: registry.endpointsOf(name) })),
      brings: broughtBy(plugin),
      needs: [...new Set(needsOf(plugin).map(({ need }) => need.name))].toSorted(),
    }));
    const failed = quarantined.map(({ plugin, reason }) => ({ name: plugin, reason, tools: [] }));
    const starting = names.map((name) => ({ name, isStarting: true, tools: [] }));
    return [...running, ...failed, ...starting]
      .map((state) => ({ ...state, ...origins.get(state.name) }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  permissions(): readonly Permission[] {
    const pages = this.#current().assembly.plugins.flatMap((plugin) => plugin.pages);
    const asked = pages.flatMap(({ access }) => (access === 'anyone' ? [] : (access.permission ?? [])));
    return [...new Set([mcpAccess, ...asked])].toSorted();
  }

  services(): Readonly<Record<string, ServiceStatus>> {
    return this.#current().status();
  }

  configuration(): Readonly<Record<string, unknown>> {
    return this.#current().printable();
  }

  configurationError(): string | undefined {
    return this.#current().configurationError;
  }

  async process(): Promise<ProcessState> {
    const { bsize, bavail, blocks } = await statfs(this.#dataFolder);
    return {
      version: manifest.version,
      startedAt: new Date(performance.timeOrigin).toISOString(),
      residentBytes: residentBytes(),
      disk: { freeBytes: bsize * bavail, bytes: bsize * blocks },
    };
  }

  errors(): readonly LoggedError[] {
    return this.#current().recent.errors;
  }

  slowestCalls(): readonly SlowCall[] {
    return this.#current().recent.slowestCalls;
  }

  #current(): Generation {
    if (this.#generation) return this.#generation;
    throw new Error('the state of the server is known only once all plugins have started');
  }
}

const originOf = ({ key, isOfPreset, isolation, package: found }: LoadedPlugin): PluginOrigin => ({
  key,
  isOfPreset,
  isIsolated: isolation === 'process',
  version: found?.version,
  description: found?.description,
});

/** What a plugin brings besides tools, without the kinds that it has nothing of. */
function broughtBy(plugin: Plugin): Readonly<Record<string, readonly string[]>> {
  const named = {
    resources: plugin.resources.map(({ uri }) => uri),
    prompts: plugin.prompts.map(({ name }) => name),
    services: Object.values(plugin.provides).map(({ name }) => name),
    wrappers: plugin.wrappers.map(({ service }) => service.name),
    pages: plugin.pages.filter(({ link }) => link).map(({ path }) => path),
    reports: plugin.reports.map(({ name }) => name),
    authenticators: plugin.authenticators.map(({ name }) => name),
    commands: plugin.commands.map(({ name }) => name),
    extensions: plugin.contributions.map(({ point }) => point),
  };
  const kinds = Object.entries(named).map(([kind, names]) => [kind, [...new Set(names)]] as const);
  return Object.fromEntries(kinds.filter(([, names]) => names.length > 0));
}

/** Shows a configuration that comes into force to the plugins that asked for the state of the server. */
export function fillState(generation: Generation): void {
  const { services } = generation.assembly;
  const state = services.has(ServerState) && services.resolve({ state: ServerState }).state;
  if (state instanceof HostState) state.fill(generation);
}
