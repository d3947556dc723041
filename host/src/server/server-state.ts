import { statfs } from 'node:fs/promises';
import { ServerState, mcpAccess } from '@sextant/core';
import type { LoggedError, Permission, PluginState, ProcessState, ServiceStatus, SlowCall } from '@sextant/core';
import manifest from '../../package.json' with { type: 'json' };
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
    const { assembly, quarantined, registry, starting: names } = this.#current();
    const running = assembly.plugins.map(({ name, tools }) => ({
      name,
      tools: tools.map((tool) => ({ name: tool.name, endpoints: registry.endpointsOf(tool.name) })),
    }));
    const failed = quarantined.map(({ plugin, reason }) => ({ name: plugin, reason, tools: [] }));
    const starting = names.map((name) => ({ name, isStarting: true, tools: [] }));
    return [...running, ...failed, ...starting].toSorted((a, b) => (a.name < b.name ? -1 : 1));
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

/** Shows a configuration that comes into force to the plugins that asked for the state of the server. */
export function fillState(generation: Generation): void {
  const { services } = generation.assembly;
  const state = services.has(ServerState) && services.resolve({ state: ServerState }).state;
  if (state instanceof HostState) state.fill(generation);
}
