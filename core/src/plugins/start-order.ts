import { needsOf, restrictedNeed } from './plugin.ts';
import { ownToken } from './this-plugin.ts';
import type { Plugin } from './plugin.ts';
import type { Token } from './token.ts';

/** A set of plugins that cannot start together. The message names the culprits and what to do. */
export class StartOrderError extends Error {
  override readonly name = 'StartOrderError';
}

/**
 * Sorts plugins so that each starts after those that it needs; otherwise the given order stays. Throws `StartOrderError`
 * for a need that nobody provides or that only services may have, for a token that two plugins provide, for a cycle, and
 * for a name used twice. A wrapped service counts as provided by all plugins that wrap it, too.
 */
export function startOrder(plugins: readonly Plugin[]): Plugin[] {
  const providers = providersByToken(plugins);
  const ordered: Plugin[] = [];
  const visit = (plugin: Plugin, path: readonly Plugin[]): void => {
    if (ordered.includes(plugin)) return;
    if (path.includes(plugin)) throw cycleError([...path.slice(path.indexOf(plugin)), plugin]);
    for (const other of startedBefore(plugin, plugins, providers)) visit(other, [...path, plugin]);
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
 * The plugins that must have started before one: what provides its needs, and what wraps them. Not what it wraps itself:
 * that may start later, so that one plugin can wrap several services of which some need others.
 */
function startedBefore(plugin: Plugin, all: readonly Plugin[], providers: ReadonlyMap<string, Plugin>): Plugin[] {
  const behind = ({ name }: Token<unknown>, wrappers: readonly Plugin[]): Plugin[] => [
    ...[providers.get(name) ?? []].flat(),
    ...wrappers,
  ];
  const own = Object.values(plugin.needs).flatMap((need) => behind(need, wrappersOf(need.name, all)));
  const wrapped = plugin.wrappers.flatMap(({ service, needs }) => {
    const around = wrappersOf(service.name, all);
    return [
      ...around.slice(0, around.indexOf(plugin)),
      ...Object.values(needs).flatMap((need) => behind(need, wrappersOf(need.name, all))),
    ];
  });
  return [...own, ...wrapped];
}

/** The plugins that wrap a service, the one next to it first. */
function wrappersOf(service: string, plugins: readonly Plugin[]): Plugin[] {
  return plugins
    .flatMap((plugin, at) =>
      plugin.wrappers.filter((wrapper) => wrapper.service.name === service).map(({ order }) => ({ plugin, order, at })),
    )
    .toSorted((a, b) => b.order - a.order || b.at - a.at)
    .map(({ plugin }) => plugin);
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

/** Whether nothing answers to a need: what is optional or collected may be nothing, and each plugin has itself. */
export const isMissing = (need: Token<unknown>, isProvided: (name: string) => boolean): boolean =>
  !need.isOptional && !need.isCollected && !need.isOwn && !isProvided(need.name);

/**
 * The plugins that must run to use the services and points in `names`: their providers, wrappers and contributors, and
 * all that these need.
 */
export function closureOf(plugins: readonly Plugin[], names: Iterable<string>): Plugin[] {
  const providers = providersByToken(plugins);
  const wanted = new Set<Plugin>();
  const others = (name: string): Plugin[] =>
    plugins.filter(
      (plugin) =>
        plugin.contributions.some(({ point }) => point === name) ||
        plugin.wrappers.some(({ service }) => service.name === name) ||
        ownToken(plugin.name).name === name,
    );
  const add = (name: string): void => {
    for (const plugin of [providers.get(name) ?? [], others(name)].flat()) {
      if (wanted.has(plugin)) continue;
      wanted.add(plugin);
      for (const { need } of needsOf({ ...plugin, ...withoutParts })) add(need.name);
    }
  };
  for (const name of names) add(name);
  return plugins.filter((plugin) => wanted.has(plugin));
}

/** What is left out where only services are started. */
const withoutParts = { tools: [], resources: [], reports: [], pages: [], authenticators: [] };

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
