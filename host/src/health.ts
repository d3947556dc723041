import type { HTTPResponse } from 'h3';
import { jsonResponse, textResponse } from './errors-http.ts';
import type { ListenerState } from './listener-state.ts';

/** What anyone may ask without credentials: states and counts, no names of repositories or people. */
export const healthRoutes: Readonly<Record<string, (state: ListenerState) => Promise<HTTPResponse>>> = {
  '/healthz': async () => jsonResponse(200, { status: 'ok' }),
  '/readyz': async ({ serving }) => readiness(serving),
  '/metrics': async ({ telemetry }) =>
    textResponse(200, await telemetry.metrics(), { 'content-type': telemetry.contentType }),
};

/** What is wrong may quote the file, which anyone may not read: the log of the operator has it. */
const staleConfiguration = 'the configuration file as it stands is not in force; the log says why';

/**
 * `ready` when every service is, whatever optional plugin is missing: the operator allowed that. Before: `starting`, or
 * `degraded` when a plugin failed, so that waiting may not help.
 */
function readiness({ current, configurationError }: ListenerState['serving']): HTTPResponse {
  const services = current.assembly.status();
  const { quarantined } = current;
  const isReady = Object.values(services).every((service) => service.isReady);
  const status = isReady ? 'ready' : quarantined.length > 0 ? 'degraded' : 'starting';
  const error = configurationError !== undefined && { configurationError: staleConfiguration };
  return jsonResponse(isReady ? 200 : 503, { status, services, quarantined, ...error });
}
