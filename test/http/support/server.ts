import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Assembly, defineAuthenticator, definePlugin, silentLogger, silentMetrics } from '@sextant/core';
import type { Caller, Logger, Plugin, Quarantined } from '@sextant/core';
import { callerOf } from '@sextant/core/testing';
import { Generation } from '../../../host/src/server/generation.ts';
import type { Serving } from '../../../host/src/server/generation.ts';
import { listen } from '../../../host/src/http/listening/listen.ts';
import { requestTimes } from '../../../host/src/http/listening/request-times.ts';
import type { RequestTimes } from '../../../host/src/http/listening/request-times.ts';
import { serverSettings } from '../../../host/src/server/server-settings.ts';
import { hostSettings } from '../../../host/src/server/settings.ts';

/** Tokens of the test server, and who shows them. */
export const callers: Readonly<Record<string, Caller>> = {
  'alice-token': callerOf('alice', { id: 1 }),
  'bob-token': callerOf('bob', { id: 2 }),
  'analyst-token': callerOf('analyst', { id: 3, scopes: ['analytics'] }),
  'agent-token': callerOf('agent', { id: 6, scopes: ['mcp'] }),
  'root-token': callerOf('root', { id: 5, isSiteAdmin: true }),
  'root-mcp-token': callerOf('root', { id: 5, isSiteAdmin: true, scopes: ['mcp'] }),
  'root-analytics-token': callerOf('root', { id: 5, isSiteAdmin: true, scopes: ['analytics'] }),
  'outsider-token': callerOf('outsider', { id: 4, permissions: [] }),
};

export const externalURL = 'https://code.example.com';

export interface TestServerOptions {
  plugins?: readonly Plugin[];
  /** As in the configuration file. */
  settings?: object;
  /** Settings of plugins by their names. */
  configs?: Readonly<Record<string, object>>;
  log?: Logger;
  quarantined?: readonly Quarantined[];
  /** What the configuration says is served. */
  repositories?: readonly object[];
  times?: RequestTimes;
  /** Where relative paths of the settings begin. */
  folder?: string;
}

export interface TestServer extends AsyncDisposable {
  readonly url: string;
  readonly serving: Serving;
  /** Puts another configuration in force, as a change of the file does. */
  reload(options: TestServerOptions): Promise<void>;
  close(graceMs?: number): Promise<void>;
}

/** A real server on a free port with plugins that are values of the test. */
export async function startServer(options: TestServerOptions = {}): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), 'sextant-http-'));
  let current = await generationOf(options, folder);
  const serving: Serving = {
    get current() {
      return current;
    },
    configurationError: undefined,
  };
  const { log = silentLogger, times = requestTimes, folder: base = folder } = options;
  const { url, close, follow } = await listen({ serving, host: '127.0.0.1', port: 0, folder: base, log, times });
  const stop = async (graceMs = 1000): Promise<void> => {
    await close(graceMs);
    await current.retire(1000);
    await rm(folder, { recursive: true, force: true });
  };
  return {
    url,
    serving,
    reload: async (next) => {
      const previous = current;
      current = await generationOf(next, folder);
      await follow();
      await previous.retire(1000);
    },
    close: stop,
    [Symbol.asyncDispose]: () => stop(),
  };
}

async function generationOf(options: TestServerOptions, dataFolder: string): Promise<Generation> {
  const {
    plugins = [],
    settings = {},
    configs = {},
    quarantined = [],
    repositories = [],
    log = silentLogger,
  } = options;
  const parsed = hostSettings.parse(settings);
  const configured = [authentication, ...plugins].map((plugin) => ({
    plugin,
    config: plugin.config.parse(configs[plugin.name] ?? {}),
    isOptional: false,
  }));
  const assembly = await Assembly.start({
    plugins: [serverSettings(parsed), ...configured],
    contextOf: () => ({ log, metrics: silentMetrics, dataFolder, externalURL, configFolder: dataFolder }),
  });
  const printable = (): Record<string, unknown> => ({ repositories });
  return new Generation({ settings: parsed, externalURL, assembly, quarantined, printable });
}

const authentication = definePlugin({
  name: 'auth-test',
  authenticators: [
    defineAuthenticator({
      name: 'test-token',
      needs: {},
      authenticate: async ({ headers }) =>
        callers[/^(?:Bearer|token) (\S+)$/i.exec(headers.get('authorization') ?? '')?.[1] ?? ''],
    }),
  ],
});
