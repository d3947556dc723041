import { didYouMean } from '../text/nearest.ts';
import type { Plugin } from '../plugins/plugin.ts';
import type { Prompt } from './prompt.ts';
import type { Resource } from './resource.ts';
import type { Placement, Tool } from './tool.ts';

/** Paths of the endpoints that always exist. */
export const builtInEndpoints = {
  default: '/.api/mcp',
  all: '/.api/mcp/all',
  deepsearch: '/.api/mcp/deepsearch',
  v1: '/.api/mcp/v1',
} as const;

/** Prefix under which the older path also knows every tool. */
export const aliasPrefix = 'sg_';

export interface RegistryOptions {
  plugins: readonly Plugin[];
  /** Tools that vanish from every endpoint. */
  disabledTools?: readonly string[];
  /** Endpoints of the operator: path to tool names. */
  endpoints?: Readonly<Record<string, readonly string[]>>;
}

/** A tool as one endpoint shows it: `name` differs from `tool.name` where it is an alias. */
export interface ListedTool {
  readonly name: string;
  readonly tool: Tool;
  readonly plugin: Plugin;
}

/**
 * Which tools, resources and prompts stand on which endpoint. Immutable: a change of the configuration makes a new one.
 */
export class Registry {
  readonly #byEndpoint = new Map<string, ReadonlyMap<string, ListedTool>>();
  readonly #resources: readonly Resource[];
  readonly #prompts: readonly Prompt[];

  /**
   * Throws when two plugins bring a tool, resource or prompt of one name, or an operator's endpoint names a tool that is
   * not loaded.
   */
  constructor({ plugins, disabledTools = [], endpoints = {} }: RegistryOptions) {
    const named = collect(plugins, 'tool', ({ tools }) => tools);
    const loaded = new Map([...named].map(([name, { item: tool, plugin }]) => [name, { name, tool, plugin }]));
    this.#resources = itemsOf(collect(plugins, 'resource', ({ resources }) => resources));
    this.#prompts = itemsOf(collect(plugins, 'prompt', ({ prompts }) => prompts));
    const enabled = new Map([...loaded].filter(([name]) => !disabledTools.includes(name)));
    const placed = (endpoint: string): ListedTool[] =>
      [...enabled.values()].filter(({ tool }) =>
        tool.endpoints.some((placement) => isOn(placement, endpoint, enabled)),
      );

    this.#add(builtInEndpoints.default, placed('default'));
    this.#add(builtInEndpoints.deepsearch, placed('deepsearch'));
    this.#add(builtInEndpoints.all, [...enabled.values()]);
    this.#add(builtInEndpoints.v1, [...enabled.values()].flatMap(withAlias));
    for (const [path, names] of Object.entries(endpoints)) {
      for (const name of names) requireLoaded(path, name, loaded);
      this.#add(
        path,
        [...enabled.values()].filter(({ name }) => names.includes(name)),
      );
    }
  }

  /** Paths of all endpoints. */
  get endpoints(): readonly string[] {
    return [...this.#byEndpoint.keys()];
  }

  /** The tools of an endpoint in alphabetical order, or undefined when there is no such endpoint. */
  list(endpoint: string): readonly ListedTool[] | undefined {
    const tools = this.#byEndpoint.get(endpoint);
    return tools && [...tools.values()];
  }

  /** The tool of that name on that endpoint, or undefined. */
  find(endpoint: string, name: string): ListedTool | undefined {
    return this.#byEndpoint.get(endpoint)?.get(name);
  }

  /** The resources of an endpoint in alphabetical order: those whose tools it lists. */
  resources(endpoint: string): readonly Resource[] {
    return this.#resources.filter(({ withTools }) => this.#hasAll(endpoint, withTools));
  }

  /** The prompts of an endpoint in alphabetical order: those whose tools it lists. */
  prompts(endpoint: string): readonly Prompt[] {
    return this.#prompts.filter(({ withTools }) => this.#hasAll(endpoint, withTools));
  }

  #hasAll(endpoint: string, tools: readonly string[]): boolean {
    return tools.every((name) => this.find(endpoint, name));
  }

  /** Paths of the endpoints that list a tool under its own name. */
  endpointsOf(name: string): readonly string[] {
    return this.endpoints.filter((path) => this.find(path, name));
  }

  #add(path: string, tools: readonly ListedTool[]): void {
    const sorted = tools.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    this.#byEndpoint.set(path, new Map(sorted.map((listed) => [listed.name, listed])));
  }
}

interface Contributed<T> {
  readonly item: T;
  readonly plugin: Plugin;
}

function collect<T extends { readonly name: string }>(
  plugins: readonly Plugin[],
  kind: string,
  itemsIn: (plugin: Plugin) => readonly T[],
): Map<string, Contributed<T>> {
  const found = new Map<string, Contributed<T>>();
  for (const plugin of plugins)
    for (const item of itemsIn(plugin)) {
      const other = found.get(item.name);
      if (other)
        throw new Error(
          `plugins ${other.plugin.name} and ${plugin.name} both have a ${kind} named ${item.name}; switch one off`,
        );
      found.set(item.name, { item, plugin });
    }
  return found;
}

const itemsOf = <T extends { readonly name: string }>(found: ReadonlyMap<string, Contributed<T>>): T[] =>
  [...found.values()].map(({ item }) => item).sort((a, b) => (a.name < b.name ? -1 : 1));

function isOn(placement: Placement, endpoint: string, enabled: ReadonlyMap<string, unknown>): boolean {
  if (typeof placement === 'string') return placement === endpoint;
  return placement.endpoint === endpoint && !enabled.has(placement.unless);
}

const withAlias = (listed: ListedTool): ListedTool[] => [listed, { ...listed, name: aliasPrefix + listed.name }];

function requireLoaded(path: string, name: string, loaded: ReadonlyMap<string, ListedTool>): void {
  if (loaded.has(name)) return;
  const names = [...loaded.keys()];
  throw new Error(
    `endpoints: "${path}" names the tool "${name}", which no plugin brings.${didYouMean(name, names)} Loaded: ${names.join(', ')}.`,
  );
}
