import { needsOf, restrictedNeed } from './plugin.ts';
import type { Plugin } from './plugin.ts';
import type { Token } from './token.ts';

/** A set of plugins that cannot start together. The message names the culprits and what to do. */
export class StartOrderError extends Error {
  override readonly name = 'StartOrderError';
}

/**
 * Sorts plugins so that each starts after those that it needs; otherwise the given order stays. Throws `StartOrderError`
 * for a need that nobody provides or that only services may have, for a token that two plugins provide, for a cycle, and
 * for a name used twice.
 */
export function startOrder(plugins: readonly Plugin[]): Plugin[] {
  const providers = providersByToken(plugins);
  const ordered: Plugin[] = [];
  const visit = (plugin: Plugin, path: readonly Plugin[]): void => {
    if (ordered.includes(plugin)) return;
    if (path.includes(plugin)) throw cycleError([...path.slice(path.indexOf(plugin)), plugin]);
    for (const need of Object.values(plugin.needs)) {
      const provider = providers.get(need.name);
      if (provider) visit(provider, [...path, plugin]);
    }
    ordered.push(plugin);
  };
  requireNeedsProvided(plugins, providers);
  const isForServices = restrictionsOf(plugins);
  for (const plugin of plugins) {
    const restricted = restrictedNeed(plugin, isForServices);
    if (restricted !== undefined) throw new StartOrderError(restricted);
  }
  for (const plugin of plugins) visit(plugin, []);
  return ordered;
}

/**
 * Whether only services may have the provider of a need. The provider decides, because anyone can make a token of the
 * same name.
 */
export function restrictionsOf(plugins: readonly Plugin[]): (need: Token<unknown>) => boolean {
  const tokens = plugins.flatMap(({ provides }) => Object.values(provides));
  const restricted = new Set(tokens.filter(({ isForServices }) => isForServices).map(({ name }) => name));
  return ({ name }) => restricted.has(name);
}

/** Whether nothing answers to a need: what is optional or collected may be nothing. */
export const isMissing = (need: Token<unknown>, isProvided: (name: string) => boolean): boolean =>
  !need.isOptional && !need.isCollected && !isProvided(need.name);

/**
 * The plugins that must run to use the services and points in `names`: their providers, their contributors, and all that
 * these need.
 */
export function closureOf(plugins: readonly Plugin[], names: Iterable<string>): Plugin[] {
  const providers = providersByToken(plugins);
  const wanted = new Set<Plugin>();
  const contributors = (name: string): Plugin[] =>
    plugins.filter(({ contributions }) => contributions.some(({ point }) => point === name));
  const add = (name: string): void => {
    for (const plugin of [providers.get(name) ?? [], contributors(name)].flat()) {
      if (wanted.has(plugin)) continue;
      wanted.add(plugin);
      for (const need of Object.values(plugin.needs)) add(need.name);
    }
  };
  for (const name of names) add(name);
  return plugins.filter((plugin) => wanted.has(plugin));
}

function providersByToken(plugins: readonly Plugin[]): Map<string, Plugin> {
  const providers = new Map<string, Plugin>();
  const names = new Set<string>();
  for (const plugin of plugins) {
    if (names.has(plugin.name)) throw new StartOrderError(`two plugins are named ${plugin.name}; switch one off`);
    names.add(plugin.name);
    for (const { name } of Object.values(plugin.provides)) {
      const other = providers.get(name);
      if (other)
        throw new StartOrderError(
          `${other.name} and ${plugin.name} both provide "${name}"; switch one off with \`plugins: { ${other.name}: false }\``,
        );
      providers.set(name, plugin);
    }
  }
  return providers;
}

function requireNeedsProvided(plugins: readonly Plugin[], providers: ReadonlyMap<string, Plugin>): void {
  const missing = plugins.flatMap((plugin) =>
    [...needsOf(plugin)]
      .filter(({ need }) => isMissing(need, (name) => providers.has(name)))
      .map((each) => ({ ...each, plugin: plugin.name })),
  );
  if (missing.length === 0) return;
  const lines = missing.map(({ by, need }) => `${by} needs "${need.name}", which no loaded plugin provides`);
  const off = [...new Set(missing.map(({ plugin }) => `${plugin}: false`))].join(', ');
  throw new StartOrderError(
    `${[...new Set(lines)].join('; ')}; load a plugin that does, or do without: \`plugins: { ${off} }\``,
  );
}

const cycleError = (cycle: readonly Plugin[]): StartOrderError =>
  new StartOrderError(`plugins need each other in a circle: ${cycle.map(({ name }) => name).join(' → ')}`);
