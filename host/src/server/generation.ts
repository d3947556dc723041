import { Announcements, CallRecorder, Hosts, RefusalRecorder, Registry, optional } from '@sextant/core';
import type { Assembly, GuardLimits, Needs, Quarantined, Resolved, ServiceStatus } from '@sextant/core';
import manifest from '../../package.json' with { type: 'json' };
import { fillState } from './server-state.ts';
import type { LoadedPlugin } from '../plugins/load-plugins.ts';
import { TrustedProxies } from '../http/client-address.ts';
import type { PluginMetrics } from '../metrics/plugin-metrics.ts';
import { Recent } from '../metrics/recent.ts';
import { guardLimitsOf } from './settings.ts';
import type { HostSettings } from './settings.ts';
import { fillToolbox } from './toolbox.ts';

export interface GenerationOptions {
  settings: HostSettings;
  /** Without a slash at the end. */
  externalURL: string;
  assembly: Assembly;
  /** Plugins of the configuration, with where they come from. */
  loaded?: readonly LoadedPlugin[];
  /** Plugins that could not even be loaded, besides those that the assembly left out. */
  quarantined?: readonly Quarantined[];
  /** Plugins that start once the server listens, in the generation after this one. */
  later?: readonly string[];
  /** Everything in force, secrets as references. */
  printable?(): Record<string, unknown>;
  metrics?: PluginMetrics;
  /** Whether it answers hosts, and no callers. */
  isNode?: boolean;
  /** Lives longer than a generation; absent: begins with it. */
  recent?: Recent;
}

/** One configuration in force: its plugins started, its endpoints filled. Replaced as a whole when the file changes. */
export class Generation {
  readonly settings: HostSettings;
  readonly externalURL: string;
  readonly assembly: Assembly;
  readonly loaded: readonly LoadedPlugin[];
  readonly registry: Registry;
  /** Of each call of a tool. */
  readonly limits: GuardLimits;
  #quarantined: readonly Quarantined[];
  #starting: readonly string[];
  /** Told of every finished call; undefined where no plugin wants to know. */
  readonly recorder: CallRecorder | undefined;
  /** Told of every refusal; undefined where no plugin wants to know. */
  readonly refusals: RefusalRecorder | undefined;
  /** The other servers on the database; undefined where there can be none. */
  readonly hosts: Hosts | undefined;
  readonly announcements: Announcements | undefined;
  readonly trustedProxies: TrustedProxies;
  readonly recent: Recent;
  readonly #metrics: PluginMetrics | undefined;
  readonly #services = new WeakMap<Needs, Resolved<Needs>>();
  /** Everything in force, secrets as references. */
  readonly printable: () => Record<string, unknown>;
  /** Why the last change of the file did not replace this generation. */
  configurationError: string | undefined;
  readonly #retiring = new AbortController();
  #wasReady = false;
  #holders = 0;
  #drained: (() => void) | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: GenerationOptions) {
    const {
      settings,
      externalURL,
      assembly,
      quarantined = [],
      later = [],
      printable = () => ({}),
      isNode = false,
    } = options;
    this.#metrics = options.metrics;
    this.recent = options.recent ?? new Recent();
    this.settings = settings;
    this.limits = guardLimitsOf(settings);
    this.externalURL = externalURL;
    this.assembly = assembly;
    this.loaded = options.loaded ?? [];
    this.printable = printable;
    this.#quarantined = [...quarantined, ...assembly.quarantined];
    this.#starting = later;
    const { services } = assembly;
    const told = services.resolve({
      recorder: optional(CallRecorder),
      refusals: optional(RefusalRecorder),
      hosts: optional(Hosts),
      announcements: optional(Announcements),
    });
    this.recorder = told.recorder;
    this.refusals = told.refusals;
    this.hosts = told.hosts;
    this.announcements = told.announcements;
    if (!isNode) this.hosts?.describe({ version: manifest.version, configuration: sharedOf(printable()) });
    this.trustedProxies = new TrustedProxies(settings.trustedProxies);
    this.registry = new Registry({
      plugins: assembly.plugins,
      disabledTools: settings['mcp.tools.disabled'],
      endpoints: settings.endpoints,
    });
    fillToolbox(services, this);
    fillState(this);
  }

  /** Aborts when another has taken its place. */
  get retiring(): AbortSignal {
    return this.#retiring.signal;
  }

  /** Plugins that do not run because they failed. */
  get quarantined(): readonly Quarantined[] {
    return this.#quarantined;
  }

  /** Names of the plugins that are starting: the next generation has them. */
  get starting(): readonly string[] {
    return this.#starting;
  }

  /** Says that the plugins that were starting do not run. */
  leaveOutStarting(reason: string): void {
    this.#quarantined = [...this.#quarantined, ...this.#starting.map((plugin) => ({ plugin, reason }))];
    this.#starting = [];
  }

  /** The state of each service that has one, by token name. */
  status(): Readonly<Record<string, ServiceStatus>> {
    const states = this.assembly.status();
    this.#wasReady ||= Object.values(states).every(({ isReady }) => isReady);
    return states;
  }

  /** What the plugins count, in the text format of Prometheus. */
  async pluginMetrics(): Promise<string> {
    return (await this.#metrics?.text(this.assembly.plugins.map(({ name }) => name))) ?? '';
  }

  /** Whether every service was ready at once, one of the times that `status` was asked for. */
  get wasReady(): boolean {
    return this.#wasReady;
  }

  /** The services that a tool, report, page or authenticator needs; resolved once. */
  servicesOf({ needs }: { readonly needs: Needs }): Resolved<Needs> {
    const known = this.#services.get(needs);
    if (known) return known;
    const services = this.assembly.services.resolve(needs);
    this.#services.set(needs, services);
    return services;
  }

  /** Keeps the services open until the returned function is called; once for every request. */
  hold(): () => void {
    this.#holders += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holders -= 1;
      if (this.#holders === 0) this.#drained?.();
    };
  }

  /** Waits for the requests that hold this generation, at most so many milliseconds, then closes its plugins; asked again, waits for the same end. */
  async retire(timeoutMs: number): Promise<void> {
    this.#retiring.abort();
    if (this.#holders > 0) {
      const drained = new Promise<void>((resolve) => (this.#drained = resolve));
      const late = new Promise<void>((resolve) => setTimeout(resolve, timeoutMs).unref());
      await Promise.race([drained, late]);
    }
    await (this.#closed ??= this.assembly.close());
  }
}

/** The generation that serves now, and the last change that could not be put into force. */
export interface Serving {
  readonly current: Generation;
  /** Why the configuration file as it stands is not in force; undefined when it is. */
  readonly configurationError: string | undefined;
}

/** What all hosts should have alike: each may listen elsewhere. */
function sharedOf({ host: _host, port: _port, ...shared }: Record<string, unknown>): Record<string, unknown> {
  return shared;
}
