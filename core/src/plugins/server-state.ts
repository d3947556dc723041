import type { ServiceStatus } from './plugin.ts';
import type { Permission } from '../calls/policy.ts';
import { token } from './token.ts';

/** A plugin of the configuration in force, running or left out because it failed. */
export interface PluginState {
  readonly name: string;
  /** Why it does not run; absent: it runs, or is starting. */
  readonly reason?: string;
  /** Set while it starts: optional plugins do so once the server listens. */
  readonly isStarting?: boolean;
  /** Tools that it brings, with the paths of the endpoints that list them; none where a tool is disabled. */
  readonly tools: readonly { readonly name: string; readonly endpoints: readonly string[] }[];
  /** Names of the other things that it brings: `services`, `pages`, `reports`, `commands`. Nothing of a plugin that failed. */
  readonly brings?: Readonly<Record<string, readonly string[]>>;
  /** Names of the services that it needs to start. */
  readonly needs?: readonly string[];
  /** Where it comes from; absent for one that could not be loaded. */
  readonly origin?: PluginOrigin;
}

export interface PluginOrigin {
  /** As the configuration names it: a short name, the name of a package, or a path. */
  readonly key: string;
  /** Whether it comes with Sextant. */
  readonly isOfPreset: boolean;
  /** Whether it runs in a process of its own. */
  readonly isIsolated: boolean;
  /** Of its package. */
  readonly version?: string | undefined;
  readonly description?: string | undefined;
}

/** The process that answers. */
export interface ProcessState {
  readonly version: string;
  /** As ISO 8601. */
  readonly startedAt: string;
  /** Memory that the system counts, in bytes. */
  readonly residentBytes: number;
  /** Of the disk with the data folder. */
  readonly disk: { readonly freeBytes: number; readonly bytes: number };
}

/** A line of the log of level `error`, without secrets. */
export interface LoggedError {
  /** As ISO 8601. */
  readonly time: string;
  readonly message: string;
  /** Whether it is a warning: something goes on with less, or is tried again. */
  readonly isWarning?: true;
  /** Of the error or the request, as its caller was told. */
  readonly id?: string;
  /** The repository, code host, plugin or tool that it is about. */
  readonly about?: string;
}

/** A call of a tool or of a page: `tools/call keyword_search`, `GET browse`. */
export interface SlowCall {
  readonly name: string;
  /** As ISO 8601. */
  readonly startedAt: string;
  readonly milliseconds: number;
  /** What it had of processors outside of the main thread: on threads, and in git. */
  readonly processorMilliseconds: number;
  /** Names the lines of the log that belong to it. */
  readonly requestId: string;
}

/**
 * What an operator may know of the whole server. Always provided by the host. Knows no caller: whoever needs it must be
 * for administrators only.
 */
export interface ServerState {
  /** By name. */
  plugins(): readonly PluginState[];
  /** Permissions that pages and MCP endpoints ask for, sorted. */
  permissions(): readonly Permission[];
  /** State of each service that has one, by token name. */
  services(): Readonly<Record<string, ServiceStatus>>;
  /** Everything in force as the configuration file would say it: defaults included, secrets as references. */
  configuration(): Readonly<Record<string, unknown>>;
  /** Why the file as it stands is not in force; undefined when it is. May quote the file. */
  configurationError(): string | undefined;
  process(): Promise<ProcessState>;
  /** The last 20 since the start, newest first. */
  errors(): readonly LoggedError[];
  /** The ten that took longest of the last hour, slowest first; none that took less than 100 ms. */
  slowestCalls(): readonly SlowCall[];
}

export const ServerState = token<ServerState>('server-state');
