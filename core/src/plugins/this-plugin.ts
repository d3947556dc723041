import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';
import type { PluginContext } from './plugin.ts';
import type { Needs, Token } from './token.ts';

/** What a tool or anything else that a plugin brings may know of its plugin, without a service of its own. */
export interface ThisPlugin<S> {
  /** What the configuration says below the plugin's name, as its `config` schema parsed it. */
  readonly settings: S;
  readonly log: Logger;
  /** A folder of this plugin alone, mode 700. Made when it is first asked for. */
  readonly dataFolder: string;
  readonly metrics: Metrics;
  /** Where browsers and clients reach this server, without a slash at the end. */
  readonly externalURL: string;
}

const prefix = 'plugin:';
const unbound = 'this-plugin';

/**
 * A need for the plugin's own settings, data folder, log and metrics: `needs: { plugin: thisPlugin(config) }`. `config`
 * is the schema that the plugin has as its `config`; it gives the settings their type.
 */
export const thisPlugin = <C extends z.ZodObject>(_config?: C): Token<ThisPlugin<z.output<C>>> =>
  Object.freeze({ name: unbound, isOwn: true });

/** The token under which the host provides a plugin to what it brings. */
export const ownToken = (plugin: string): Token<ThisPlugin<unknown>> =>
  Object.freeze({ name: `${prefix}${plugin}`, isOwn: true });

/** Needs in which `thisPlugin` means the plugin of that name. */
export function bindOwn(needs: Needs, plugin: string): Needs {
  if (!Object.values(needs).some(({ isOwn }) => isOwn)) return needs;
  const bound = Object.entries(needs).map(([key, need]) => [key, need.name === unbound ? ownToken(plugin) : need]);
  return Object.freeze(Object.fromEntries(bound));
}

/** Whether a need is for the plugin of that name itself; for another plugin's settings there is no need. */
export const isOwnOf = ({ name, isOwn }: Token<unknown>, plugin: string): boolean =>
  isOwn === true && name === ownToken(plugin).name;

/** What the plugin is told of itself. */
export function ownOf(name: string, settings: unknown, context: PluginContext): ThisPlugin<unknown> {
  const folder = join(context.dataFolder, 'plugins', name);
  let isMade = false;
  return Object.freeze({
    settings,
    log: context.log,
    metrics: context.metrics,
    externalURL: context.externalURL,
    get dataFolder() {
      if (!isMade) mkdirSync(folder, { recursive: true, mode: 0o700 });
      isMade = true;
      return folder;
    },
  });
}
