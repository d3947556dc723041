import { capabilities, nearest } from '@sextant/core';
import type { ConfiguredPlugin, JsonSchema, Plugin } from '@sextant/core';
import type { LoadedPlugin } from '../plugins/load-plugins.ts';
import { hostSettings } from '../server/settings.ts';
import type { HostSettings } from '../server/settings.ts';
import type { Problem } from './problems.ts';
import { isPlainObject } from './secrets.ts';
import { configSchema, unknownKey, validateSection } from './validate.ts';
import type { Validated } from './validate.ts';

/** A file's content and the plugins that it concerns. */
export interface MergeInput {
  raw: Readonly<Record<string, unknown>>;
  value: Readonly<Record<string, unknown>>;
  loaded: readonly LoadedPlugin[];
  /** Whether every plugin that is wanted could be loaded: only then are all keys known. */
  isComplete: boolean;
}

export interface Merged {
  settings: HostSettings;
  plugins: readonly ConfiguredPlugin[];
  /** As the file would say it, with every default written out. */
  printable: Readonly<Record<string, unknown>>;
}

/** Checks a configuration against what the host and every loaded plugin read; answers everything that is wrong. */
export function validateMerged(input: MergeInput): Validated<Merged> {
  const { loaded } = input;
  const host = validateSection({
    schema: hostSettings,
    value: pick(input.value, Object.keys(hostSettings.shape)),
    raw: input.raw,
    pathOf: (path) => path,
  });
  const sections = loaded.map((entry) => ({ entry, ...pluginSection(entry, input) }));
  const problems = [
    ...claimedTwice(loaded),
    ...unknownTopLevel(input),
    ...(host.ok ? [] : host.problems),
    ...sections.flatMap(({ misplaced, validated }) => [...misplaced, ...(validated.ok ? [] : validated.problems)]),
  ];
  if (!host.ok || problems.length > 0) return { ok: false, problems };
  const plugins = sections.flatMap(({ entry, validated }): ConfiguredPlugin[] =>
    validated.ok ? [{ plugin: entry.plugin, config: validated.data, isOptional: entry.isOptional }] : [],
  );
  return { ok: true, data: { settings: host.data, plugins, printable: printable(host.data, plugins, loaded) } };
}

/** The JSON Schema of the whole file: the host's keys, those that plugins put at the top, and `plugins`. */
export function mergedSchema(loaded: readonly LoadedPlugin[]): JsonSchema {
  const host = configSchema(hostSettings);
  const top = loaded.map(({ plugin }) => pick(configSchema(plugin.config).properties ?? {}, plugin.topLevel));
  const own = loaded.map(({ key, plugin }) => [key, { anyOf: [{ const: false }, ownSchema(plugin)] }] as const);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Sextant configuration',
    type: 'object',
    properties: {
      ...host.properties,
      ...Object.assign({}, ...top),
      plugins: {
        type: 'object',
        description: 'Plugins besides the preset, and settings of those that run; false switches one off',
        properties: Object.fromEntries(own),
        additionalProperties: { anyOf: [{ const: false }, { type: 'object', properties: hostKeys }] },
      },
    },
    additionalProperties: false,
  };
}

/** What may be said of any plugin. */
const hostKeys: Record<string, JsonSchema> = {
  optional: { type: 'boolean', description: 'Whether the server may start without this plugin', default: false },
  trusted: {
    type: 'boolean',
    description: "Whether it may do all that the server may, in the server's process",
    default: false,
  },
  isolation: {
    enum: ['in-process', 'process'],
    description:
      'Whether it runs in a process of its own, which can do only what `allow` names. Absent: in-process if it is trusted or of the preset, else process',
  },
  allow: {
    type: 'array',
    items: { enum: [...capabilities] },
    description: 'Of a plugin in a process of its own: the capabilities that it may use',
    default: [],
  },
  memoryMegabytes: {
    type: 'integer',
    minimum: 128,
    maximum: 65_536,
    description: 'Of a plugin in a process of its own: its memory, with all that Node needs',
    default: 512,
  },
};

function ownSchema(plugin: Plugin): JsonSchema {
  const { properties = {}, required = [] } = configSchema(plugin.config);
  const own = Object.keys(properties).filter((key) => !plugin.topLevel.includes(key));
  const needed = required.filter((key) => own.includes(key));
  return {
    type: 'object',
    properties: { ...pick(properties, own), ...hostKeys },
    ...(needed.length > 0 && { required: needed }),
    additionalProperties: false,
  };
}

function pluginSection(
  { key, plugin, settings }: LoadedPlugin,
  { raw, value }: MergeInput,
): { misplaced: Problem[]; validated: Validated<unknown> } {
  const isTop = (name: PropertyKey | undefined): boolean => plugin.topLevel.includes(String(name));
  const entry = isPlainObject(raw['plugins']) ? raw['plugins'][key] : undefined;
  const misplaced = Object.keys(settings).filter(isTop);
  return {
    misplaced: misplaced.map((name) => ({
      path: ['plugins', key, name],
      text: `"${name}" stands at the top of the file, not below its plugin`,
    })),
    validated: validateSection<unknown>({
      schema: plugin.config,
      value: { ...omit(settings, misplaced), ...pick(value, plugin.topLevel) },
      raw: { ...(isPlainObject(entry) ? entry : {}), ...pick(raw, plugin.topLevel) },
      pathOf: (path) => pathInFile(plugin, key, path),
    }),
  };
}

/** Where a key of a plugin's configuration stands in the file. */
export const pathInFile = ({ topLevel }: Plugin, key: string, path: readonly PropertyKey[]): readonly PropertyKey[] =>
  topLevel.includes(String(path[0])) ? path : ['plugins', key, ...path];

function claimedTwice(loaded: readonly LoadedPlugin[]): Problem[] {
  const claims = new Map<string, string>(
    [...Object.keys(hostSettings.shape), 'plugins'].map((key) => [key, 'the host']),
  );
  return loaded.flatMap(({ plugin }) =>
    plugin.topLevel.flatMap((key): Problem[] => {
      const other = claims.get(key);
      claims.set(key, plugin.name);
      return other === undefined
        ? []
        : [{ path: [key], text: `both ${other} and the plugin ${plugin.name} read this key; switch one off` }];
    }),
  );
}

function unknownTopLevel({ raw, loaded, isComplete }: MergeInput): Problem[] {
  const known = [...Object.keys(hostSettings.shape), 'plugins', ...loaded.flatMap(({ plugin }) => plugin.topLevel)];
  return Object.entries(raw)
    .filter(
      ([key]) =>
        !known.includes(key) &&
        (isComplete || nearest(key, known) !== undefined || known.some((name) => name.startsWith(`${key}.`))),
    )
    .map(([key, value]) => ({ path: [key], text: undottedKey(key, value, known) ?? unknownKey(key, known) }));
}

/** `mcp: { enabled: false }` was meant as `mcp.enabled: false`. */
function undottedKey(key: string, value: unknown, known: readonly string[]): string | undefined {
  const dotted = known.filter((name) => name.startsWith(`${key}.`));
  if (dotted.length === 0) return undefined;
  const meant = dotted.find((name) => flatten(key, value).includes(name)) ?? dotted.join('" or "');
  return `unknown key; did you mean "${meant}"? It is one key with dots in it`;
}

const flatten = (key: string, value: unknown): string[] =>
  isPlainObject(value)
    ? [key, ...Object.entries(value).flatMap(([name, item]) => flatten(`${key}.${name}`, item))]
    : [key];

function printable(
  settings: HostSettings,
  plugins: readonly ConfiguredPlugin[],
  loaded: readonly LoadedPlugin[],
): Record<string, unknown> {
  const configs = plugins.map(({ plugin, config }) => ({
    plugin,
    config: isPlainObject(config) ? config : {},
    key: loaded.find((entry) => entry.plugin === plugin)?.key ?? plugin.name,
    flags: loaded.find((entry) => entry.plugin === plugin)?.flags ?? {},
  }));
  return {
    ...settings,
    ...Object.assign({}, ...configs.map(({ plugin, config }) => pick(config, plugin.topLevel))),
    plugins: Object.fromEntries(
      configs.map(({ key, plugin, config, flags }) => [key, { ...omit(config, plugin.topLevel), ...flags }]),
    ),
  };
}

const pick = <T>(from: Readonly<Record<string, T>>, keys: readonly string[]): Record<string, T> =>
  Object.fromEntries(Object.entries(from).filter(([key]) => keys.includes(key)));

const omit = <T>(from: Readonly<Record<string, T>>, keys: readonly string[]): Record<string, T> =>
  Object.fromEntries(Object.entries(from).filter(([key]) => !keys.includes(key)));
