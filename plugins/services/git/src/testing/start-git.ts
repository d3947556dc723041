import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { silentLogger, silentMetrics } from '@sextant/core';
import type { Call, Caller, Logger, PluginContext, ServiceStatus } from '@sextant/core';
import type { Fetches, GitStore, HostedRepositories, Repositories, Repository } from '@sextant/contracts';
import { callerOf } from '@sextant/core/testing';
import type { config } from '../config.ts';
import plugin from '../index.ts';

export interface StartedGit extends AsyncDisposable {
  readonly repositories: Repositories;
  readonly store: GitStore;
  open(name: string, caller?: Caller): Promise<Repository>;
  /** What happens once all plugins have started. */
  ready(): Promise<void>;
  status(): ServiceStatus;
  /** Sends a body to the webhook. */
  fetch(body: string, caller: Caller): Promise<Response>;
}

/** The plugin started as the host starts it, on a data folder below `folder`. */
export async function startGit(
  folder: string,
  settings: z.input<typeof config>,
  log: Logger = silentLogger,
  hosted?: HostedRepositories,
): Promise<StartedGit> {
  const dataFolder = join(folder, 'data');
  mkdirSync(dataFolder, { recursive: true });
  const context: PluginContext = {
    log,
    metrics: silentMetrics,
    dataFolder,
    externalURL: 'http://localhost',
    configFolder: folder,
  };
  const providers = await plugin.start(plugin.config.parse(settings), { hosted }, context);
  const { repositories: provider, store, fetches } = providers;
  if (!provider?.status || !provider.ready || !provider.close || !store?.close || !fetches)
    throw new Error('the plugin lacks what it declares');
  // What a plugin provides is erased to unknown; the host restores it through the token.
  const repositories = provider.value as Repositories;
  const services = { fetches: fetches.value as Fetches };
  const { ready, status, close } = provider;
  return {
    repositories,
    store: store.value as GitStore,
    open: (name, caller = callerOf('alice')) => repositories.open(caller, name),
    ready,
    status,
    fetch: async (body, caller) => {
      const [page] = plugin.pages;
      if (!page) throw new Error('the plugin has no page');
      const call: Call = {
        caller,
        endpoint: page.path,
        signal: new AbortController().signal,
        log,
        reportProgress: () => undefined,
      };
      return page.respond(new Request(`http://localhost${page.path}`, { method: 'POST', body }), services, call);
    },
    [Symbol.asyncDispose]: async () => {
      await store.close?.();
      await close();
    },
  };
}
