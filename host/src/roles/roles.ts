import { hostname } from 'node:os';
import { SextantError } from '@sextant/core';
import type { ConfiguredPlugin, Plugin } from '@sextant/core';
import type { HostSettings } from '../server/settings.ts';
import { clusterPlugins, nodePlugins, ownedByNodes } from '@sextant/preset';

/** What a process of a cluster is. Without `cluster` in the configuration one process is everything. */
export const roles = ['host', 'node'] as const;
export type Role = (typeof roles)[number];

/** What the command line says of it. */
export interface AskedRole {
  readonly role?: Role;
  /** Name of a node; that of the machine unless said. */
  readonly node?: string;
}

/** The role that a configuration is used in. Commands beside hosts and nodes are those of a host. */
export const roleFor = ({ role }: AskedRole, value: Readonly<Record<string, unknown>>): Role | undefined =>
  value['cluster'] === undefined ? undefined : (role ?? 'host');

/** Throws where the command line and the configuration do not fit. */
export function requireRole({ role }: AskedRole, isCluster: boolean): void {
  if (role !== undefined && !isCluster)
    throw new SextantError(
      'invalid_argument',
      `--role ${role} needs "cluster" in the configuration, which names the code nodes`,
    );
  if (role === undefined && isCluster)
    throw new SextantError(
      'invalid_argument',
      'the configuration has "cluster": say what this process is, with --role host or --role node',
    );
}

/** The packages of the preset that are loaded for a cluster. */
export const packagesFor = (role: Role | undefined): readonly string[] => (role === undefined ? [] : clusterPlugins);

/** The same configuration with the name of this node in it. */
export function withSelf(
  value: Readonly<Record<string, unknown>>,
  { role, node }: AskedRole,
): Readonly<Record<string, unknown>> {
  const { cluster } = value;
  if (typeof cluster !== 'object' || cluster === null || role !== 'node') return value;
  return { ...value, cluster: { self: hostname(), ...cluster, ...(node !== undefined && { self: node }) } };
}

/** The plugins that run in a role. A node has services alone: it serves its protocol, and no pages or tools. */
export function pluginsFor(role: Role | undefined, plugins: readonly ConfiguredPlugin[]): readonly ConfiguredPlugin[] {
  if (role === undefined) return plugins;
  if (role === 'host') return plugins.filter(({ plugin }) => !isNamed(plugin, ownedByNodes));
  return plugins
    .filter(({ plugin }) => isNamed(plugin, nodePlugins))
    .map((configured) => ({ ...configured, plugin: servicesOf(configured.plugin) }));
}

/** A node answers no agents. */
export const settingsFor = (role: Role | undefined, settings: HostSettings): HostSettings =>
  role === 'node' ? { ...settings, 'mcp.enabled': false } : settings;

const isNamed = ({ name }: Plugin, packages: readonly string[]): boolean => packages.includes(`@sextant/${name}`);

const known = new WeakMap<Plugin, Plugin>();

/** Always the same value for a plugin, so that a change of the configuration keeps what did not change. */
function servicesOf(plugin: Plugin): Plugin {
  const services = known.get(plugin) ?? {
    ...plugin,
    tools: [],
    resources: [],
    prompts: [],
    reports: [],
    pages: [],
    authenticators: [],
  };
  known.set(plugin, services);
  return services;
}
