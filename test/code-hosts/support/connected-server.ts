import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Directory, Repositories, SourceTypes } from '@sextant/contracts';
import type { RepositoryInfo, RepositorySource } from '@sextant/contracts';
import { Principals, Services, all, silentLogger } from '@sextant/core';
import type { Caller, ConfigMistake } from '@sextant/core';
import { callerOf, startPlugins } from '@sextant/core/testing';
import type { StartedPlugins } from '@sextant/core/testing';
import { expect } from 'vitest';
import { loadPreset } from '../../support/preset.ts';
import type { Company } from './company.ts';
import type { Gitea } from './gitea.ts';

export interface ConnectedServer extends StartedPlugins {
  readonly repositories: Repositories;
  /** The caller that an account of Gitea is here. */
  caller(login: string): Promise<Caller>;
  list(login: string): Promise<RepositoryInfo[]>;
  /** The names, without their host. */
  paths(login: string): Promise<string[]>;
  /** Sends a message to a page, without signing in. */
  post(path: string, message: { body: string; headers: Record<string, string> }): Promise<Response>;
}

export interface ConnectOptions {
  folder: string;
  gitea: Pick<Gitea, 'url' | 'token'>;
  /** Its people become users who signed in. */
  company?: Pick<Company, 'people'>;
  /** Keys of the source besides those that it cannot do without. */
  source?: object;
  /** Of the plugin service-git. */
  git?: object;
}

const names = ['sqlite', 'directory', 'sessions', 'sources', 'git'].map((name) => `service-${name}`);

/** The plugins that serve repositories of a Gitea, as one process on a data folder. */
export async function connectedServer({
  folder,
  gitea,
  company,
  source = {},
  git = {},
}: ConnectOptions): Promise<ConnectedServer> {
  const data = join(folder, 'data');
  mkdirSync(data, { recursive: true });
  const { url, token } = gitea;
  const settings: Readonly<Record<string, object>> = {
    'auth-oidc': { issuer: url, clientId: 'sextant' },
    'service-sources': { sources: [{ type: 'gitea', url, token, permissions: 'sync', accessSeconds: 1, ...source }] },
    'service-git': git,
  };
  const plugins = await loadPreset([...names, 'auth-oidc', 'source-gitea']);
  const started = await startPlugins(
    data,
    plugins.map((plugin) => [plugin, settings[plugin.name] ?? {}] as const),
  );
  const { repositories, directory, principals } = started.services.resolve({
    repositories: Repositories,
    directory: Directory,
    principals: Principals,
  });
  const host = new URL(url).host;
  for (const { login, id } of company?.people ?? [])
    if (!(await directory.find(login))) {
      await directory.add({ name: login });
      await started.run('oidc link', { name: login, subject: String(id) });
    }
  const caller = async (login: string): Promise<Caller> => {
    const found = await principals.named(login);
    if (!found) throw new Error(`there is no user ${login}`);
    return found;
  };
  const list = async (login: string) => repositories.list(await caller(login));
  const post: ConnectedServer['post'] = async (path, { body, headers }) => {
    const page = plugins.flatMap(({ pages }) => pages).find((each) => path.startsWith(each.path.replace(/:.*/, '')));
    if (!page) throw new Error(`there is no page ${path}`);
    const request = new Request(`http://localhost${path}`, { method: 'POST', body, headers });
    return page.respond(request, started.services.resolve(page.needs), {
      caller: callerOf('nobody', { permissions: [], scopes: [] }),
      endpoint: page.path,
      signal: new AbortController().signal,
      log: silentLogger,
      reportProgress: () => undefined,
    });
  };
  return {
    ...started,
    post,
    repositories,
    caller,
    list,
    paths: async (login) => (await list(login)).map(({ name }) => name.slice(host.length + 1)),
  };
}

/** What is wrong with `sources` as the configuration has them, the tokens included. */
export async function configMistakes(sources: readonly object[]): Promise<readonly ConfigMistake[]> {
  const plugins = await loadPreset(['service-sources', 'source-gitea']);
  const service = plugins.find(({ name }) => name === 'service-sources');
  if (!service) throw new Error('there is no plugin service-sources');
  const services = new Services(plugins.flatMap(({ contributions }) => contributions));
  return service.checkConfig(service.config.parse({ sources }), {
    configFolder: '/',
    permissions: [],
    mayRead: true,
    contributionsTo: (point) => services.resolve({ given: all(point) }).given,
  });
}

/** A source as the configuration opens it. */
export async function openSource(entry: { type: string; [key: string]: unknown }): Promise<RepositorySource> {
  const plugins = await loadPreset([`source-${entry.type}`]);
  const services = new Services(plugins.flatMap(({ contributions }) => contributions));
  const [type] = services.resolve({ types: all(SourceTypes) }).types;
  if (!type) throw new Error(`there is no type ${entry.type}`);
  return type.open(type.config.parse(entry), { log: silentLogger, permissions: 'sync' });
}

/** The same, once it has cloned everything. */
export async function servingServer(options: ConnectOptions): Promise<ConnectedServer> {
  const server = await connectedServer(options);
  await server.ready();
  await expect.poll(() => Object.values(server.status()).every(({ isReady }) => isReady)).toBe(true);
  return server;
}
