import { Directory, Sessions } from '@sextant/contracts';
import { silentLogger } from '@sextant/core';
import { callerOf, startPlugins } from '@sextant/core/testing';
import type { StartedPlugins } from '@sextant/core/testing';
import directoryPlugin from '@sextant/service-directory';
import { testDatabase } from '@sextant/service-postgres/testing';
import plugin from '../index.ts';

export interface StartedSessions extends StartedPlugins {
  readonly directory: Directory;
  readonly sessions: Sessions;
  /** Asks a page of the plugin, as the host does for someone without credentials. */
  visit(path: string, init?: RequestInit): Promise<Response>;
}

/** The plugin as a process of its own on a data folder. */
export async function startSessions(dataFolder: string, config: object = {}): Promise<StartedSessions> {
  const started = await startPlugins(dataFolder, [[testDatabase], [directoryPlugin], [plugin, config]]);
  return {
    ...started,
    ...started.services.resolve({ directory: Directory, sessions: Sessions }),
    visit(path, init) {
      const request = new Request(`${origin}${path}`, init);
      const page = plugin.pages.find(
        (each) =>
          each.method === request.method &&
          new RegExp(`^${each.path.replace(':code', '[^/]+')}$`).test(path.split('?')[0] ?? ''),
      );
      if (!page) throw new Error(`there is no page ${request.method} ${path}`);
      return page.respond(request, started.services.resolve(page.needs), {
        caller: callerOf('anyone'),
        endpoint: page.path,
        signal: request.signal,
        log: silentLogger,
        reportProgress() {},
      });
    },
  };
}

export const origin = 'http://localhost';
