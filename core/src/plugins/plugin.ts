import { z } from 'zod';
import { nearest } from '../text/nearest.ts';
import { commandShape } from '../surface/command.ts';
import type { Command } from '../surface/command.ts';
import { contributionShape } from '../surface/contribution.ts';
import type { Contribution, Point } from '../surface/contribution.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';
import { pageShape } from '../surface/page.ts';
import type { Page } from '../surface/page.ts';
import { mcpAccess, siteAdministration } from '../calls/policy.ts';
import type { Authenticator, AuthenticatorDefinition, Permission } from '../calls/policy.ts';
import { promptShape } from '../surface/prompt.ts';
import type { Prompt } from '../surface/prompt.ts';
import { reportShape } from '../surface/report.ts';
import type { Report } from '../surface/report.ts';
import { resourceShape } from '../surface/resource.ts';
import type { Resource } from '../surface/resource.ts';
import { fn, needsShape, shapeOf, text, texts, truth, zodObject } from './shape.ts';
import { bindOwn, isOwnOf } from './this-plugin.ts';
import type { Needs, Resolved, Token } from './token.ts';
import { toolShape } from '../surface/tool.ts';
import type { Tool } from '../surface/tool.ts';
import { wrapperShape } from './wrapper.ts';
import type { Wrapper } from './wrapper.ts';

/** Whether a service can answer fully, and what an operator should see of it. */
export interface ServiceStatus {
  /** Whether everything that can be served is served: what failed is in `failures` and keeps nothing else waiting. */
  isReady: boolean;
  /** For administrators: counts and states, no names of repositories or people. */
  detail: Readonly<Record<string, unknown>>;
  /** How far it is, while it is not ready and that is known. */
  progress?: ServiceProgress;
  /** What cannot be served, for administrators; absent: nothing failed. */
  failures?: readonly ServiceFailure[];
}

/** One thing that a service cannot serve while everything else goes on. */
export interface ServiceFailure {
  /** A repository by its name; what has no name that is served, by its path. */
  readonly name: string;
  /** Why, and what the operator can do about it; one sentence. */
  readonly reason: string;
  /** When it began to fail, RFC 3339. */
  readonly since?: string;
  /** When it is tried again by itself, RFC 3339. */
  readonly nextTry?: string;
}

/** `done` of `total`, which may be parts of one: 2.5 of 7 repositories. */
export interface ServiceProgress {
  readonly done: number;
  readonly total: number;
  /** What is counted: `repositories searchable`. */
  readonly unit: string;
}

/** What `start` returns for each token that the plugin provides. */
export interface Provider<T> {
  value: T;
  /** Called once all plugins have started: the place to begin work in the background. */
  ready?(): Promise<void>;
  /** Absent: always ready. */
  status?(): ServiceStatus;
  /** Gives up memory for what can be read or made again: called when the process comes near to its limit. */
  shed?(): void;
  /** Called once, in reverse order of the starts, when no call uses the service any more. */
  close?(): Promise<void>;
}

export type Providers<P extends Needs> = { [K in keyof P]: Provider<Resolved<P>[K]> };

/** What surrounds a plugin. */
export interface PluginContext {
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Exists, mode 700; each plugin keeps to files named after it. */
  readonly dataFolder: string;
  /** Where browsers and clients reach this server, without a slash at the end. */
  readonly externalURL: string;
  /** Folder against which relative paths of the configuration are resolved. */
  readonly configFolder: string;
}

/** What `checkConfig` may look at. */
export interface ConfigCheck {
  /** Folder against which relative paths of the configuration are resolved. */
  readonly configFolder: string;
  /** Every permission that a loaded plugin asks for. */
  readonly permissions: readonly Permission[];
  /** What the loaded plugins contribute to a point. */
  contributionsTo<T>(point: Point<T>): readonly T[];
  /** Whether it may look at the disk. A server that starts looks there itself, and says what is missing. */
  readonly mayRead: boolean;
}

/** A mistake that the schema of a configuration cannot see. */
export interface ConfigMistake {
  /** The key, from the plugin's own configuration on: `['repositories', 0, 'path']`. */
  readonly path: readonly PropertyKey[];
  /** What is wrong, and what is allowed. */
  readonly text: string;
}

/** What `sextant doctor` says of one thing that a plugin depends on. */
export interface Diagnosis {
  /** What was looked at: `git`. */
  readonly what: string;
  readonly state: DiagnosisState;
  /** What was found. Unless it is fine, also what comes of it and what to do. */
  readonly text: string;
}

/** `doubtful` works, but not for long or not for everyone; `wrong` does not work. */
export type DiagnosisState = 'fine' | 'doubtful' | 'wrong';

/** Tokens and links have an end: a clock that is minutes off ends them early or late. Undefined where it is about the same as another's. */
export function clockDiagnosis(other: string, { headers }: Response): Diagnosis | undefined {
  const seconds = Math.round(Math.abs(Date.now() - Date.parse(headers.get('date') ?? '')) / 1000);
  if (Number.isNaN(seconds) || seconds <= 60) return undefined;
  return {
    what: 'clock',
    state: 'doubtful',
    text: `it differs from that of ${other} by ${seconds} seconds; set both (NTP)`,
  };
}

/** What surrounds a plugin that is not started. */
export type DiagnosisContext = Pick<PluginContext, 'dataFolder' | 'externalURL' | 'configFolder'> &
  Pick<ConfigCheck, 'contributionsTo'> & {
    /** Whether everything is looked at, however long it takes: `doctor --thorough`. */
    readonly isThorough: boolean;
  };

/** What a plugin in a process of its own can do only where the configuration allows it. */
export const capabilities = ['network', 'filesystem', 'process', 'language-model'] as const;
export type Capability = (typeof capabilities)[number];

/** Part of a data file that can be lost without the others, such as a shard of an index. */
export interface DataFilePart {
  /** Its file, below the path of the data file. */
  readonly name: string;
  readonly bytes: number;
  /** Why it cannot be used as it is; absent: it can. */
  readonly problem?: DataFileProblem;
}

/** Why a part of a data file cannot be used as it is. */
export interface DataFileProblem {
  /** Whether another version of the plugin wrote it. Otherwise it is damaged. */
  readonly isOfOtherVersion: boolean;
  /** What is wrong: `the checksum of the shard is wrong`. */
  readonly reason: string;
}

/** A file or folder of the data folder that a backup must not just copy. Everything else there is copied byte for byte. */
export interface DataFile {
  /** Below the data folder, with `/`. */
  readonly path: string;
  /** The plugin makes it again where it is missing: a backup leaves it out. */
  readonly isRebuilt?: boolean;
  /**
   * Compares what stands at a path with its checksums, part by part, and changes nothing. A server may write there meanwhile. For
   * `sextant doctor` and `sextant upgrade`, which may stop after any part.
   */
  inspect?(path: string): Iterable<DataFilePart>;
  /** Copies a file as it is at one moment while the server writes to it. */
  copy?(from: string, to: string): Promise<void>;
}

/** What a plugin brings: to agents, people, operators and other plugins. */
export interface Contributions {
  tools?: readonly Tool[];
  resources?: readonly Resource[];
  prompts?: readonly Prompt[];
  reports?: readonly Report[];
  pages?: readonly Page[];
  authenticators?: readonly Authenticator[];
  commands?: readonly Command[];
  /** What it gives to points of other plugins, or of its own. */
  contributions?: readonly Contribution[];
  /** Services of other plugins that it stands in front of. */
  wrappers?: readonly Wrapper[];
  /** What it uses besides services: shown to the operator, and enforced where it runs in a process of its own. */
  capabilities?: readonly Capability[];
  /** Permissions that it asks for, besides those in the access of its pages. */
  permissions?: readonly Permission[];
  /** What it keeps in the data folder and a backup must not just copy. */
  dataFiles?: readonly DataFile[];
}

export interface PluginDefinition<C extends z.ZodObject, N extends Needs, P extends Needs> extends Contributions {
  /** Kebab-case, with its role first: `tool-list-refs`, `service-git`. */
  name: string;
  /** The keys below `plugins.<name>` in the configuration; none unless said. */
  config?: C;
  /** Keys of `config` that stand at the top of the configuration file instead. */
  topLevel?: readonly (keyof z.output<C> & string)[];
  needs?: N;
  provides?: P;
  /** What is wrong with a configuration beside its schema, for `sextant config check`: folders that are not there. Starts nothing. */
  checkConfig?(config: z.output<C>, check: ConfigCheck): Promise<readonly ConfigMistake[]>;
  /** The state of what it depends on, for `sextant doctor`: a program, a file, another server. Starts nothing; takes ten seconds at most, unless `isThorough`. */
  diagnose?(config: z.output<C>, context: DiagnosisContext): Promise<readonly Diagnosis[]>;
  start?(config: z.output<C>, services: Resolved<N>, context: PluginContext): Promise<Providers<P>>;
}

/** A plugin with its types erased. Made by `definePlugin`; importing it does nothing. */
export interface Plugin extends Required<Contributions> {
  readonly kind: typeof pluginKind;
  readonly name: string;
  readonly config: z.ZodObject;
  readonly topLevel: readonly string[];
  readonly needs: Needs;
  readonly provides: Needs;
  checkConfig(config: unknown, check: ConfigCheck): Promise<readonly ConfigMistake[]>;
  diagnose(config: unknown, context: DiagnosisContext): Promise<readonly Diagnosis[]>;
  start(config: unknown, services: Resolved<Needs>, context: PluginContext): Promise<Record<string, Provider<unknown>>>;
}

/** Marks a value as a plugin of this version of the API, whichever copy of this package made it. */
export const pluginKind = 'sextant-plugin/1';

/**
 * Declares a plugin: the default export of its package. Throws on a name that is not kebab-case, and when a tool, report,
 * page or authenticator needs what only services may.
 */
export function definePlugin<C extends z.ZodObject = z.ZodObject, N extends Needs = {}, P extends Needs = {}>(
  definition: PluginDefinition<C, N, P>,
): Plugin {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(definition.name))
    throw new Error(`plugin name "${definition.name}" must be kebab-case, such as tool-list-refs`);
  requireKnownKeys(definition);
  // The one place where a plugin's types are erased.
  const declared = {
    ...nothing,
    ...definition,
    kind: pluginKind,
    config: definition.config ?? z.object({}),
  } as unknown as Plugin;
  const problem = pluginProblem(declared);
  if (problem !== undefined) throw new Error(`plugin ${declared.name}: ${problem}`);
  const plugin = bound({ ...declared, config: declared.config.strict() });
  const restricted = restrictedNeed(plugin, ({ isForServices }) => isForServices === true);
  if (restricted !== undefined) throw new Error(restricted);
  return plugin;
}

/** A misspelt key would bring nothing. One that is like none is of another version of this package. */
function requireKnownKeys(definition: { readonly name: string }): void {
  const known = ['name', 'config', ...Object.keys(nothing)];
  for (const key of Object.keys(definition)) {
    const meant = known.includes(key) || key === 'kind' ? undefined : nearest(key, known);
    if (meant !== undefined)
      throw new Error(`plugin ${definition.name}: there is no "${key}"; did you mean "${meant}"?`);
  }
}

/** What a plugin has that says nothing of it. */
const nothing = {
  topLevel: [],
  needs: {},
  provides: {},
  checkConfig: async () => [],
  diagnose: async () => [],
  start: async () => ({}),
  tools: [],
  resources: [],
  prompts: [],
  reports: [],
  pages: [],
  authenticators: [],
  commands: [],
  contributions: [],
  wrappers: [],
  capabilities: [],
  permissions: [],
  dataFiles: [],
};

/** The same with what its parts need of their plugin bound to its name. */
function bound(plugin: Plugin): Plugin {
  const bind = <T extends { readonly needs: Needs }>(items: readonly T[]): readonly T[] =>
    items.map((item) => {
      const needs = bindOwn(item.needs, plugin.name);
      return needs === item.needs ? item : { ...item, needs };
    });
  const { tools, resources, reports, pages, authenticators, commands, wrappers } = plugin;
  return {
    ...plugin,
    tools: bind(tools),
    resources: bind(resources),
    reports: bind(reports),
    pages: bind(pages),
    authenticators: bind(authenticators),
    commands: bind(commands),
    wrappers: bind(wrappers),
  };
}

const completed = new WeakMap<object, Plugin>();

/** A plugin that another version of this package may have made, with what it could not know of yet. Always the same value. */
export function complete(plugin: Plugin): Plugin {
  const known = completed.get(plugin);
  if (known) return known;
  const lacks = Object.keys(nothing).some((key) => !(key in plugin));
  const whole: Plugin = lacks ? { ...nothing, ...plugin } : plugin;
  completed.set(plugin, whole);
  return whole;
}

/** Whether a plugin was defined without a start. */
export const startsNothing = ({ start }: Plugin): boolean => start === nothing.start;

/** Every permission that plugins ask for, those of core included; each once, sorted. */
export function permissionsOf(plugins: readonly Plugin[]): Permission[] {
  const ofPages = plugins
    .flatMap(({ pages }) => pages)
    .flatMap(({ access }) => (access === 'anyone' ? [] : (access.permission ?? [])));
  return [
    ...new Set([mcpAccess, siteAdministration, ...plugins.flatMap((each) => each.permissions), ...ofPages]),
  ].sort();
}

/** Whether a module's default export is a plugin. */
export const isPlugin = (value: unknown): value is Plugin =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === pluginKind;

const authenticatorShape = shapeOf<Authenticator>('defineAuthenticator', {
  name: text,
  needs: needsShape,
  isAmbient: truth.optional(),
  authenticate: fn,
  firstCredential: fn.optional(),
  firstSignIn: fn.optional(),
});

const dataFileShape = shapeOf<DataFile>('dataFiles', {
  path: text,
  isRebuilt: truth.optional(),
  inspect: fn.optional(),
  copy: fn.optional(),
});

const listOf = (shape: z.ZodType): z.ZodType => z.array(shape, 'must be a list');

const pluginShape = shapeOf<Plugin>('definePlugin', {
  kind: z.literal(pluginKind),
  name: text,
  config: zodObject,
  topLevel: texts,
  needs: needsShape,
  provides: needsShape,
  start: fn,
  tools: listOf(toolShape),
  resources: listOf(resourceShape),
  prompts: listOf(promptShape),
  reports: listOf(reportShape),
  pages: listOf(pageShape),
  authenticators: listOf(authenticatorShape),
  commands: listOf(commandShape),
  contributions: listOf(contributionShape),
  wrappers: listOf(wrapperShape),
  capabilities: listOf(z.enum(capabilities, `must be one of ${capabilities.join(', ')}`)),
  permissions: texts,
  dataFiles: listOf(dataFileShape),
  checkConfig: fn,
  diagnose: fn,
});

/** Describes what is wrong with a plugin, whoever made it: `its tool "hello" lacks toText, which must be a function`. Undefined if nothing is. */
export function pluginProblem(plugin: Plugin): string | undefined {
  const [issue] = pluginShape.safeParse(plugin).error?.issues ?? [];
  if (!issue) return undefined;
  const { path, message } = issue;
  const isOfPart = path.length > 2 && typeof path[1] === 'number';
  const part: unknown = isOfPart ? valueAt(plugin, path.slice(0, 2)) : plugin;
  const member = (isOfPart ? path.slice(2) : path).join('.');
  const owner = isOfPart ? `its ${String(path[0]).replace(/s$/, '')} ${partName(part, path)}` : 'it';
  const lacks = valueAt(plugin, path) === undefined;
  return lacks ? `${owner} lacks ${member}, which ${message}` : `${owner} has a wrong ${member}, which ${message}`;
}

const partName = (part: unknown, path: readonly PropertyKey[]): string => {
  const name = valueAt(part, ['name']);
  return typeof name === 'string' ? `"${name}"` : `${Number(path[1]) + 1}`;
};

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined), value);

/** Declares a way of showing who one is. */
export const defineAuthenticator = <N extends Needs>(definition: AuthenticatorDefinition<N>): Authenticator =>
  // The one place where an authenticator's types are erased.
  definition as unknown as Authenticator;

/** Why what a plugin contributes may not have what it needs; undefined where it may. */
export function restrictedNeed(plugin: Plugin, isForServices: (need: Token<unknown>) => boolean): string | undefined {
  for (const { by, need } of needsOf({ ...plugin, needs: {}, wrappers: [] }))
    if (isForServices(need)) return `${by} must not need "${need.name}", which knows no caller; only a service may`;
  for (const { by, need } of needsOf(plugin))
    if (need.isOwn && !isOwnOf(need, plugin.name)) return `${by} must not need "${need.name}"; only that plugin may`;
  const wrapped = plugin.wrappers.map(({ service }) => service.name);
  const both = Object.values({ ...plugin.needs, ...plugin.provides }).find(({ name }) => wrapped.includes(name));
  if (both) return `plugin ${plugin.name} must not wrap "${both.name}", which it needs or provides itself`;
  if (Object.values(plugin.needs).some(({ isOwn }) => isOwn))
    return `plugin ${plugin.name} must not need itself; start gets its settings and context as arguments`;
  return undefined;
}

/**
 * All needs of a plugin: its own, the services that it wraps, and those of what it contributes, with the contribution's
 * name. Those of a command count when it is run.
 */
export function* needsOf(plugin: Plugin): Generator<{ by: string; need: Token<unknown> }> {
  for (const need of Object.values(plugin.needs)) yield { by: `plugin ${plugin.name}`, need };
  const { tools, resources, reports, pages, authenticators } = plugin;
  for (const { service, needs } of plugin.wrappers)
    for (const need of [service, ...Object.values(needs)])
      yield { by: `wrapper of "${service.name}" of ${plugin.name}`, need };
  for (const [kind, list] of Object.entries({
    tool: tools,
    resource: resources,
    report: reports,
    page: pages,
    authenticator: authenticators,
  }))
    for (const item of list)
      for (const need of Object.values(item.needs)) yield { by: `${kind} ${item.name} of ${plugin.name}`, need };
}
