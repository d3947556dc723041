import { Audit, Directory, Sessions } from '@sextant/contracts';
import type { AuditEvent } from '@sextant/contracts';
import { definePlugin, silentLogger } from '@sextant/core';
import type { Plugin } from '@sextant/core';
import { callerOf, startPlugins } from '@sextant/core/testing';
import type { StartedPlugins } from '@sextant/core/testing';
import directoryPlugin from '@sextant/service-directory';
import sessionsPlugin from '@sextant/service-sessions';
import { testDatabase } from '@sextant/service-postgres/testing';
import plugin from '../index.ts';
import { upstreamClient, visitUpstream } from './upstream.ts';
import type { Upstream } from './upstream.ts';

export const origin = 'http://localhost';
export const redirectUri = `${origin}/sign-in/oidc/callback`;

/** What someone sees in the end. */
export interface Arrival {
  readonly status: number;
  readonly location: string | null;
  readonly text: string;
  /** Who is signed in then. */
  readonly user: string | undefined;
}

export interface StartedOidc extends StartedPlugins {
  readonly directory: Directory;
  readonly sessions: Sessions;
  readonly events: readonly AuditEvent[];
  /** A page of the plugin, as a browser with these cookies gets it. */
  visit(path: string, cookie?: string): Promise<Response>;
  /** All the way: the button, the provider, and back. */
  signIn(subject: string, query?: string): Promise<Arrival>;
}

export interface OidcOptions {
  upstream: Pick<Upstream, 'issuer'>;
  /** Of this plugin. */
  config?: object;
  /** Of the directory. */
  directory?: object;
  /** What runs beside them, with its configuration. */
  others?: readonly (readonly [Plugin, object?])[];
}

/** The plugin on a data folder, with a real provider. */
export async function startOidc(
  dataFolder: string,
  { upstream, config, directory, others = [] }: OidcOptions,
): Promise<StartedOidc> {
  const events: AuditEvent[] = [];
  const record = definePlugin({
    name: 'test-audit',
    provides: { audit: Audit },
    start: async () => ({
      audit: { value: { record: (event) => void events.push(event), list: async () => ({ events: [] }) } },
    }),
  });
  const started = await startPlugins(dataFolder, [
    [testDatabase],
    [record],
    [directoryPlugin, directory ?? {}],
    [sessionsPlugin],
    [plugin, { issuer: upstream.issuer, ...upstreamClient, ...config }],
    ...others,
  ]);
  const visit: StartedOidc['visit'] = (path, cookie = '') => respond(started, path, cookie);
  return {
    ...started,
    ...started.services.resolve({ directory: Directory, sessions: Sessions }),
    events,
    visit,
    async signIn(subject, query = '') {
      const begun = await visit(`/sign-in/oidc${query}`);
      const cookie = begun.headers.get('set-cookie')?.split(';')[0];
      const back = await visitUpstream(begun.headers.get('location') ?? '', subject);
      const response = await visit(back.pathname + back.search, cookie);
      const cookies = response.headers.getSetCookie().map((each) => each.split(';')[0]);
      const caller = await started.authenticate({ cookie: cookies.join('; ') });
      const location = response.headers.get('location');
      return { status: response.status, location, text: await response.text(), user: caller?.user.name };
    },
  };
}

function respond({ services }: StartedPlugins, path: string, cookie: string): Promise<Response> {
  const request = new Request(origin + path, { headers: { cookie } });
  const page = plugin.pages.find((each) => each.path === new URL(request.url).pathname);
  if (!page) throw new Error(`there is no page ${path}`);
  return page.respond(request, services.resolve(page.needs), {
    caller: callerOf('anyone'),
    endpoint: page.path,
    remoteAddress: '192.0.2.1',
    signal: request.signal,
    log: silentLogger,
    reportProgress() {},
  });
}
