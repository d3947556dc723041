import { isDeepStrictEqual } from 'node:util';
import { ContributionError } from '../surface/contribution.ts';
import type { Contribution } from '../surface/contribution.ts';
import { messageOf } from '../calls/errors.ts';
import { needsOf, restrictedNeed } from './plugin.ts';
import type { Plugin, PluginContext, Provider, ServiceStatus } from './plugin.ts';
import { Services } from './services.ts';
import { isMissing, restrictionsOf, startOrder } from './start-order.ts';
import { ownOf, ownToken } from './this-plugin.ts';
import type { ThisPlugin } from './this-plugin.ts';
import type { Needs, Resolved, Token } from './token.ts';
import { withinTime } from '../flow/within-time.ts';
import type { Wrapper } from './wrapper.ts';

/** Milliseconds that each step of each plugin may take. */
export interface LifecycleLimits {
  startMs: number;
  /** Of a plugin that the server may run without: the others wait for it. */
  optionalStartMs: number;
  readyMs: number;
  closeMs: number;
}

export const defaultLifecycleLimits: LifecycleLimits = {
  startMs: 60_000,
  optionalStartMs: 30_000,
  readyMs: 60_000,
  closeMs: 10_000,
};

/** A plugin as the operator configured it. */
export interface ConfiguredPlugin {
  plugin: Plugin;
  /** Already parsed by the plugin's schema. */
  config: unknown;
  /** Whether the server may run without it. */
  isOptional: boolean;
}

export interface AssemblyOptions {
  plugins: readonly ConfiguredPlugin[];
  contextOf(plugin: Plugin): PluginContext;
  /** The assembly that runs now: what is unchanged in it, with all it needs, is shared and not started again. */
  previous?: Assembly;
  limits?: LifecycleLimits;
}

/** A plugin that was left out because it failed, with the reason. */
export interface Quarantined {
  plugin: string;
  reason: string;
}

/** An optional plugin whose wrapper failed after it had started. */
class WrapperFailure extends Error {
  readonly plugin: Plugin;

  constructor(plugin: Plugin, cause: unknown) {
    super(messageOf(cause), { cause });
    this.plugin = plugin;
  }

  get quarantined(): Quarantined {
    return { plugin: this.plugin.name, reason: this.message };
  }
}

/** One started plugin; shared by successive assemblies, closed when the last of them closes. */
interface Instance {
  readonly plugin: Plugin;
  readonly config: unknown;
  readonly context: PluginContext;
  readonly providers: Readonly<Record<string, Provider<unknown>>>;
  /** What it brings is told this of it. */
  readonly own: ThisPlugin<unknown>;
  /** What each of its wrappers made last. */
  readonly wrapped: Map<Wrapper, Wrapped>;
  holders: number;
}

/** A service and what a wrapper gives in its place. */
interface Wrapped {
  readonly inner: unknown;
  readonly services: Resolved<Needs>;
  readonly value: unknown;
}

/** The plugins of one configuration, started. A change of the configuration makes another beside it. */
export class Assembly {
  readonly #contributions: Contribution[] = [];
  readonly services = new Services(this.#contributions);
  readonly quarantined: Quarantined[] = [];
  readonly #instances: Instance[] = [];
  readonly #options: AssemblyOptions;
  readonly #limits: LifecycleLimits;

  /** Starts the plugins in the order of their needs; on failure closes what it started and names the culprit. */
  static start(options: AssemblyOptions): Promise<Assembly> {
    return Assembly.#startWithout(options, []);
  }

  static async #startWithout(options: AssemblyOptions, leftOut: readonly Quarantined[]): Promise<Assembly> {
    const assembly = new Assembly(options, leftOut);
    try {
      await assembly.#startAll();
      return assembly;
    } catch (error) {
      await assembly.close();
      if (!(error instanceof WrapperFailure)) throw error;
      // What it brings may be in use already: all begins again without it.
      const plugins = options.plugins.filter(({ plugin }) => plugin !== error.plugin);
      return Assembly.#startWithout({ ...options, plugins }, [...leftOut, error.quarantined]);
    }
  }

  private constructor(options: AssemblyOptions, leftOut: readonly Quarantined[]) {
    this.quarantined.push(...leftOut);
    this.#options = options;
    this.#limits = options.limits ?? defaultLifecycleLimits;
  }

  /** The plugins that run, in the order of their start. */
  get plugins(): readonly Plugin[] {
    return this.#instances.map(({ plugin }) => plugin);
  }

  /** Tells every provider that all plugins have started; only those that this assembly started itself. */
  async ready(): Promise<void> {
    for (const instance of this.#instances.filter(({ holders }) => holders === 1))
      for (const provider of Object.values(instance.providers))
        await withinTime(this.#limits.readyMs, `${instance.plugin.name} getting ready`, provider.ready?.());
  }

  /** The state of each service that has one, by token name. */
  status(): Record<string, ServiceStatus> {
    const states = this.#instances.flatMap(({ plugin, providers }) =>
      Object.entries(providers).flatMap(([key, { status }]): [string, ServiceStatus][] => {
        const name = plugin.provides[key]?.name;
        return status && name !== undefined ? [[name, statusOf(plugin, status)]] : [];
      }),
    );
    return Object.fromEntries(states);
  }

  /** Has every provider give up memory that it can do without. Answers which plugins failed to, with the reason. */
  shed(): Quarantined[] {
    return this.#instances.flatMap(({ plugin, providers }) =>
      Object.values(providers).flatMap((provider) => {
        try {
          provider.shed?.();
          return [];
        } catch (error) {
          return [{ plugin: plugin.name, reason: messageOf(error) }];
        }
      }),
    );
  }

  /** Closes, in reverse order, what no other assembly holds. Goes on when one fails, and throws all failures at the end. */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (const instance of this.#instances.splice(0).toReversed()) failures.push(...(await this.#release(instance)));
    if (failures.length > 0) throw new AggregateError(failures, failures.map(messageOf).join('; '));
  }

  /** Closes an instance that nobody holds any more; answers what failed. */
  async #release(instance: Instance): Promise<unknown[]> {
    instance.holders -= 1;
    if (instance.holders > 0) return [];
    const failures: unknown[] = [];
    for (const provider of Object.values(instance.providers).toReversed())
      await withinTime(this.#limits.closeMs, `${instance.plugin.name} closing`, provider.close?.()).catch(
        (error: unknown) => failures.push(error),
      );
    return failures;
  }

  async #startAll(): Promise<void> {
    const { fit: candidates, unfit } = separateUnfit(this.#options.plugins);
    this.quarantined.push(...unfit);
    this.#contributions.push(...candidates.flatMap(({ plugin }) => plugin.contributions));
    const byPlugin = new Map(candidates.map((configured) => [configured.plugin, configured]));
    for (const plugin of startOrder(candidates.map((candidate) => candidate.plugin))) {
      const configured = byPlugin.get(plugin);
      const isLeftOut = this.quarantined.some((one) => one.plugin === plugin.name);
      if (configured && !isLeftOut) await this.#startOrQuarantine(configured, byPlugin);
    }
    await this.#quarantineUnserved(byPlugin);
  }

  async #startOrQuarantine(
    configured: ConfiguredPlugin,
    byPlugin: ReadonlyMap<Plugin, ConfiguredPlugin>,
  ): Promise<void> {
    const { plugin, isOptional } = configured;
    try {
      const unserved = Object.values(plugin.needs).find((need) => isMissing(need, () => this.services.has(need)));
      if (unserved) throw new Error(`needs "${unserved.name}", whose plugin failed`);
      const instance = this.#reusable(configured) ?? (await this.#startOne(configured));
      instance.holders += 1;
      this.#instances.push(instance);
      this.services.provide(ownToken(plugin.name), instance.own);
      for (const [key, { value }] of Object.entries(instance.providers)) {
        const provided = plugin.provides[key];
        if (provided) this.services.provide(provided, value);
        if (provided) await this.#wrapProvided(provided, byPlugin);
      }
      for (const wrapper of plugin.wrappers)
        if (this.services.has(wrapper.service)) await this.#wrap(wrapper, instance);
    } catch (error) {
      if (error instanceof WrapperFailure) throw error;
      await this.#drop(plugin);
      if (await this.#leaveOutContributor(error, byPlugin)) return this.#startOrQuarantine(configured, byPlugin);
      const culprit = culpritOf(error, byPlugin)?.plugin ?? plugin;
      const reason = `${culprit === plugin ? '' : `contribution of ${culprit.name}: `}${messageOf(error)}`;
      if (!isOptional) throw new Error(`plugin ${plugin.name} failed to start: ${reason}`, { cause: error });
      this.#quarantine(plugin, reason);
    }
  }

  /** Takes out the optional plugin whose contribution cannot be used. False if the error is another, or the plugin required. */
  async #leaveOutContributor(error: unknown, byPlugin: ReadonlyMap<Plugin, ConfiguredPlugin>): Promise<boolean> {
    const culprit = culpritOf(error, byPlugin);
    if (!(culprit?.isOptional && error instanceof Error)) return false;
    const left = this.#contributions.filter((one) => !culprit.plugin.contributions.includes(one));
    this.#contributions.splice(0, this.#contributions.length, ...left);
    await this.#drop(culprit.plugin);
    this.#quarantine(culprit.plugin, error.message);
    return true;
  }

  /** Puts the wrappers in front of a service that has just come, of those plugins that had started before it. */
  async #wrapProvided({ name }: Token<unknown>, byPlugin: ReadonlyMap<Plugin, ConfiguredPlugin>): Promise<void> {
    for (const instance of this.#instances)
      for (const wrapper of instance.plugin.wrappers)
        if (wrapper.service.name === name)
          await this.#wrap(wrapper, instance).catch((error: unknown) => {
            const { plugin } = instance;
            if (byPlugin.get(plugin)?.isOptional) throw new WrapperFailure(plugin, error);
            throw new Error(`plugin ${plugin.name} failed: ${messageOf(error)}`, { cause: error });
          });
  }

  /** Puts a wrapper in front of its service. The same wrapper around the same service is made once. */
  async #wrap(wrapper: Wrapper, instance: Instance): Promise<void> {
    const { service, needs } = wrapper;
    const { inner } = this.services.resolve({ inner: service });
    const services = this.services.resolve(needs);
    const before = instance.wrapped.get(wrapper);
    if (before && before.inner === inner && isSameServices(needs, services, before.services))
      return this.services.replace(service, before.value);
    const wrapping = Promise.resolve(wrapper.wrap(inner, services));
    const value = await withinTime(
      this.#limits.startMs,
      `${instance.plugin.name} wrapping "${service.name}"`,
      wrapping,
    );
    if (value === undefined || value === null) throw new Error(`its wrapper of "${service.name}" returned nothing`);
    instance.wrapped.set(wrapper, { inner, services, value });
    this.services.replace(service, value);
  }

  /** Takes out a plugin that had started and cannot stay. */
  async #drop(plugin: Plugin): Promise<void> {
    const index = this.#instances.findIndex((instance) => instance.plugin === plugin);
    const [instance] = index < 0 ? [] : this.#instances.splice(index, 1);
    // The reason for which it goes is told, not what closing it says.
    if (instance) await this.#release(instance);
  }

  async #startOne({ plugin, config, isOptional }: ConfiguredPlugin): Promise<Instance> {
    const context = this.#options.contextOf(plugin);
    const { startMs, optionalStartMs } = this.#limits;
    const starting = plugin.start(config, this.services.resolve(plugin.needs), context);
    // One that provides nothing may return nothing.
    const providers: Instance['providers'] | undefined = await withinTime(
      isOptional ? optionalStartMs : startMs,
      `${plugin.name} starting`,
      starting,
    ).catch((error: unknown) => {
      // Nobody has what comes too late.
      starting.then(closeAll, () => {});
      throw error;
    });
    for (const [key, { name }] of Object.entries(plugin.provides))
      if (!providers?.[key]) throw new Error(`it declares "${name}" but its start did not return it as "${key}"`);
    const own = ownOf(plugin.name, config, context);
    return { plugin, config, context, providers: providers ?? {}, own, wrapped: new Map(), holders: 0 };
  }

  /** The running services of the previous assembly, if the same start would create them again from the same services. */
  #reusable({ plugin, config }: ConfiguredPlugin): Instance | undefined {
    const { previous, contextOf } = this.#options;
    if (!previous) return undefined;
    const instance = previous.#instances.find((candidate) => candidate.plugin === plugin);
    if (!instance || !isDeepStrictEqual(instance.config, config)) return undefined;
    const { log: _log, metrics: _metrics, ...before } = instance.context;
    const { log: _nowLog, metrics: _nowMetrics, ...now } = contextOf(plugin);
    if (!isDeepStrictEqual(before, now)) return undefined;
    const [mine, theirs] = [this.services.resolve(plugin.needs), previous.services.resolve(plugin.needs)];
    return isSameServices(plugin.needs, mine, theirs) ? instance : undefined;
  }

  /** Contributions may need services that failed. Their plugins are left out, too, unless the operator requires them. */
  async #quarantineUnserved(byPlugin: ReadonlyMap<Plugin, ConfiguredPlugin>): Promise<void> {
    const served = new Set(this.plugins.flatMap(({ provides }) => Object.values(provides).map(({ name }) => name)));
    const index = this.#instances.findIndex(({ plugin }) => missingNeed(plugin, (name) => served.has(name)));
    const instance = this.#instances[index];
    if (!instance) return;
    const { plugin } = instance;
    const reason = `${missingNeed(plugin, (name) => served.has(name))}, whose plugin failed`;
    if (!byPlugin.get(plugin)?.isOptional) throw new Error(`${reason}: ${this.quarantined.map(describe).join('; ')}`);
    this.#quarantine(plugin, reason);
    this.#instances.splice(index, 1);
    const failures = await this.#release(instance);
    if (failures.length > 0) throw new AggregateError(failures, failures.map(messageOf).join('; '));
    await this.#quarantineUnserved(byPlugin);
  }

  #quarantine(plugin: Plugin, reason: string): void {
    this.quarantined.push({ plugin: plugin.name, reason });
  }
}

async function closeAll(providers: Instance['providers'] | undefined): Promise<void> {
  for (const provider of Object.values(providers ?? {}).toReversed()) await provider.close?.().catch(() => {});
}

/** One that cannot tell its state is not ready, and keeps nobody from the states of the others. */
function statusOf({ name }: Plugin, status: () => ServiceStatus): ServiceStatus {
  try {
    return status();
  } catch (error) {
    return { isReady: false, detail: {}, failures: [{ name, reason: `cannot tell its state: ${messageOf(error)}` }] };
  }
}

const describe = ({ plugin, reason }: Quarantined): string => `${plugin}: ${reason}`;

function isSameServices(needs: Needs, mine: Resolved<Needs>, theirs: Resolved<Needs>): boolean {
  const isSame = ([key, need]: [string, Token<unknown>]): boolean =>
    // The lists are new for each plugin that needs them; their elements are the same.
    need.isCollected ? isSameList(mine[key], theirs[key]) : mine[key] === theirs[key];
  return Object.entries(needs).every(isSame);
}

const isSameList = (a: unknown, b: unknown): boolean =>
  Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, index) => item === b[index]);

function missingNeed(plugin: Plugin, isProvided: (name: string) => boolean): string | undefined {
  for (const { by, need } of needsOf(plugin)) if (isMissing(need, isProvided)) return `${by} needs "${need.name}"`;
  return undefined;
}

/** Takes out optional plugins that cannot run beside the others, and optional ones that needed them. */
export function separateUnfit(plugins: readonly ConfiguredPlugin[]): {
  fit: readonly ConfiguredPlugin[];
  unfit: readonly Quarantined[];
} {
  const all = plugins.map(({ plugin }) => plugin);
  for (const configured of plugins.filter(({ isOptional }) => isOptional).toReversed()) {
    const reason = whyUnfit(configured.plugin, all);
    if (reason === undefined) continue;
    const { fit, unfit } = separateUnfit(plugins.filter((other) => other !== configured));
    return { fit, unfit: [{ plugin: configured.plugin.name, reason }, ...unfit] };
  }
  return { fit: plugins, unfit: [] };
}

/** Why a plugin cannot run beside the others; undefined where it can. */
function whyUnfit(plugin: Plugin, all: readonly Plugin[]): string | undefined {
  const provided = new Set(all.flatMap(tokenNames));
  const missing = missingNeed(plugin, (name) => provided.has(name));
  if (missing !== undefined) return `${missing}, which no loaded plugin provides`;
  const taken = all.filter((other) => other !== plugin).map((other) => takenName(plugin, other));
  return taken.find((reason) => reason !== undefined) ?? restrictedNeed(plugin, restrictionsOf(all));
}

/** What two plugins cannot both have. */
function takenName(plugin: Plugin, other: Plugin): string | undefined {
  if (plugin.name === other.name) return `another plugin is named ${plugin.name}, too`;
  const token = tokenNames(plugin).find((name) => tokenNames(other).includes(name));
  if (token !== undefined) return `${other.name} provides "${token}", too`;
  const tool = plugin.tools.find(({ name }) => other.tools.some((each) => each.name === name));
  return tool && `${other.name} has a tool named ${tool.name}, too`;
}

const tokenNames = ({ provides }: Plugin): string[] => Object.values(provides).map(({ name }) => name);

/** The plugin whose contribution cannot be used; undefined if the error is another. */
function culpritOf(error: unknown, byPlugin: ReadonlyMap<Plugin, ConfiguredPlugin>): ConfiguredPlugin | undefined {
  if (!(error instanceof ContributionError)) return undefined;
  return [...byPlugin.values()].find(({ plugin }) => plugin.contributions.some(({ value }) => value === error.value));
}
