import { hasPermission, hasScope, siteAdministration } from '@sextant/core';
import type { Caller, Scope, ServiceFailure, ServiceStatus } from '@sextant/core';
import type { HTTPResponse } from 'h3';
import { jsonResponse, textResponse } from './errors-http.ts';
import type { Generation } from '../server/generation.ts';
import type { ListenerState } from './listening/listener-state.ts';

/** Whether whoever asks may know more than whether the server is ready, given that a token would need this scope. */
export type MayKnow = (scope: Scope) => Promise<boolean>;

/** Answers to anyone: the state and a percentage. To administrators, and on a port of their own, everything. */
export const healthRoutes: Readonly<Record<string, (state: ListenerState, mayKnow: MayKnow) => Promise<HTTPResponse>>> =
  {
    '/healthz': async () => jsonResponse(200, { status: 'ok' }),
    '/readyz': async (state, mayKnow) => readiness(state, await mayKnow('all')),
    // Numbers alone, so that what collects them needs no more than a token for reports.
    '/metrics': async ({ telemetry }, mayKnow) =>
      textResponse(200, await ((await mayKnow('analytics')) ? telemetry.metrics() : telemetry.publicMetrics()), {
        'content-type': telemetry.contentType,
        ...noStore,
      }),
  };

const noStore = { 'cache-control': 'no-store' };

/** Whether a caller is an administrator, and shows a token that is good for it. */
export const isAdministrator = (caller: Caller | undefined, scope: Scope): boolean =>
  caller !== undefined && hasScope(caller, scope) && hasPermission(caller, siteAdministration);

export interface Readiness {
  /**
   * `ready`: everything that can be served is. Else `starting`, or `degraded` where waiting may not help: a plugin failed, or
   * what was ready names a failure and no progress. `stopping`: calls in flight end, new ones are refused.
   */
  readonly status: 'ready' | 'starting' | 'degraded' | 'stopping';
  /** Whole percent; 100 exactly when ready. */
  readonly progress: number;
}

/** All that anyone may know. Failures are not shown: one may be of a hidden repository. */
export function readinessOf(generation: Generation): Readiness {
  const waiting = Object.values(generation.status()).filter(({ isReady }) => !isReady);
  if (waiting.length === 0 && generation.starting.length === 0) return { status: 'ready', progress: 100 };
  const shares = waiting.flatMap(({ progress }) => (progress ? [progress.done / Math.max(1, progress.total)] : []));
  const progress = shares.length === 0 ? 0 : Math.min(99, Math.floor(100 * Math.min(...shares)));
  const hasFailed = waiting.some(({ failures, progress: share }) => failures && !share);
  const isDegraded = generation.quarantined.length > 0 || (generation.wasReady && hasFailed);
  return { status: isDegraded ? 'degraded' : 'starting', progress };
}

/** A reason may quote the file and its secrets. The operator finds it in the log. */
const staleConfiguration = 'the configuration file as it stands is not in force; the log says why';

function readiness({ serving, isDraining }: ListenerState, isForAdministrators: boolean): HTTPResponse {
  const { current, configurationError } = serving;
  const anyone: Readiness = isDraining ? { ...readinessOf(current), status: 'stopping' } : readinessOf(current);
  const all = isForAdministrators && {
    ...detailsOf(current),
    ...(configurationError !== undefined && { configurationError: staleConfiguration }),
  };
  return jsonResponse(anyone.status === 'ready' ? 200 : 503, { ...anyone, ...all }, noStore);
}

/** What failed, and where: `plugins`, or the name of a service. */
type Failed = ServiceFailure & { readonly in: string };

const withoutFailures = ({ failures: _named, ...state }: ServiceStatus): object => state;

function detailsOf(generation: Generation): { services: object; starting?: readonly string[]; failed: Failed[] } {
  const services = generation.status();
  const plugins = generation.quarantined.map(({ plugin, reason }) => ({ in: 'plugins', name: plugin, reason }));
  const failed = Object.entries(services).flatMap(([service, { failures = [] }]) =>
    failures.map((failure) => ({ in: service, ...failure })),
  );
  return {
    services: Object.fromEntries(Object.entries(services).map(([name, state]) => [name, withoutFailures(state)])),
    ...(generation.starting.length > 0 && { starting: generation.starting }),
    failed: [...plugins, ...failed],
  };
}
