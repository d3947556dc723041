import { Audit, Database, Directory, Sessions } from '@sextant/contracts';
import type { AuditEvent } from '@sextant/contracts';
import { memorySessions } from '@sextant/contracts/testing';
import { ServerSettings, builtInEndpoints, definePlugin, silentLogger } from '@sextant/core';
import type { Call, Caller, Page } from '@sextant/core';
import { callerOf, startPlugins } from '@sextant/core/testing';
import type { StartedPlugins } from '@sextant/core/testing';
import directoryPlugin from '@sextant/service-directory';
import { testDatabase } from '@sextant/service-postgres/testing';
import plugin from '../index.ts';
import { authorizationServer } from '../server.ts';
import type { AuthorizationServer } from '../server.ts';

export const origin = 'http://localhost';

export interface OAuthOptions {
  settings?: Partial<ServerSettings>;
  oauthClients?: readonly object[];
  /** Those of the plugin where it is left out. */
  redirectSchemes?: readonly string[];
}

export interface StartedOAuth extends StartedPlugins {
  readonly server: AuthorizationServer;
  readonly directory: Directory;
  readonly database: Database;
  readonly sessions: Sessions;
  /** What was recorded, oldest first. */
  readonly events: readonly AuditEvent[];
  /** Answers a request as the host does, without a connection. */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Who shows a token at a path. */
  show(token: string, path?: string): Promise<Caller | undefined>;
  showIn(headers: Record<string, string>, path: string): Promise<Caller | undefined>;
}

/** The plugin on a data folder; the configuration names the users alice and bob. */
export async function startOAuth(dataFolder: string, options: OAuthOptions = {}): Promise<StartedOAuth> {
  const { settings, oauthClients = [], redirectSchemes } = options;
  const events: AuditEvent[] = [];
  const started = await startPlugins(dataFolder, [
    [testDatabase],
    [directoryPlugin, { users: [{ name: 'alice' }, { name: 'bob' }] }],
    [surroundings(settings, events)],
    [plugin, { oauthClients, redirectSchemes }],
  ]);
  const needs = { server: authorizationServer, directory: Directory, database: Database, sessions: Sessions };
  const services = started.services.resolve(needs);
  const [authenticator] = plugin.authenticators;
  const showIn: StartedOAuth['showIn'] = async (headers, path) =>
    authenticator?.authenticate({ headers: new Headers(headers), path }, started.services.resolve(authenticator.needs));
  return {
    ...started,
    ...services,
    events,
    fetch: (input, init) => respond(started, new Request(input, init)),
    show: (token, path = builtInEndpoints.default) => showIn({ authorization: `Bearer ${token}` }, path),
    showIn,
  };
}

const surroundings = (settings: Partial<ServerSettings> = {}, events: AuditEvent[]) =>
  definePlugin({
    name: 'test-surroundings',
    provides: { sessions: Sessions, settings: ServerSettings, audit: Audit },
    start: async () => ({
      sessions: { value: memorySessions() },
      audit: { value: { record: (event) => void events.push(event), list: async () => ({ events: [] }) } },
      settings: {
        value: {
          isMcpEnabled: true,
          isClientRegistrationEnabled: true,
          endpoints: [...Object.values(builtInEndpoints), '/.api/mcp/review'],
          ...settings,
        },
      },
    }),
  });

async function respond({ services }: StartedPlugins, request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  const page = plugin.pages.find(({ method, path }) => method === request.method && isAt(path, pathname));
  if (!page) return new Response('not found', { status: 404 });
  return page.respond(request, services.resolve(page.needs), callOf(page, request));
}

/** Patterns end in `/**` or `/:name` here. */
function isAt(pattern: Page['path'], pathname: string): boolean {
  const fixed = pattern.replace(/\/(\*\*|:\w+)$/, '/');
  return fixed === pattern ? pathname === pattern : pathname.startsWith(fixed);
}

const callOf = ({ path }: Page, { signal }: Request): Call => ({
  caller: callerOf('nobody', { id: 0 }),
  endpoint: path,
  remoteAddress: '192.0.2.1',
  signal,
  log: silentLogger,
  reportProgress() {},
});
