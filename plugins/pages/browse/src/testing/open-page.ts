import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Links, Repositories } from '@sextant/contracts';
import { RepositoryBuilder, configuredRepositories, temporaryFolder } from '@sextant/contracts/testing';
import type { FileContent } from '@sextant/contracts/testing';
import { SextantError, silentLogger } from '@sextant/core';
import type { Call, Needs, Resolved } from '@sextant/core';
import { callerOf, startPlugins } from '@sextant/core/testing';
import git from '@sextant/service-git';
import { highlighting } from '../highlighting.ts';
import plugin from '../index.ts';

/** Asks a page as a browser does unless said otherwise. */
export type OpenPage = (
  path: string,
  options?: { headers?: Record<string, string>; services?: object },
) => Promise<Response>;

export interface Browsed extends AsyncDisposable {
  readonly builder: RepositoryBuilder;
  readonly open: OpenPage;
  /** The text of a page that must be there. */
  readonly text: OpenPage extends (...args: infer A) => unknown ? (...args: A) => Promise<string> : never;
}

/** The pages over a real repository `shop` with these files, and a hidden one, `vault`. */
export async function browse(files: Readonly<Record<string, FileContent>>): Promise<Browsed> {
  const folder = temporaryFolder();
  const dataFolder = join(folder.path, 'data');
  mkdirSync(dataFolder);
  const [builder, vault] = ['shop', 'vault'].map((name) => new RepositoryBuilder({ folder: join(folder.path, name) }));
  if (!builder || !vault) throw new Error('there are two');
  builder.commit({ files });
  vault.commit({ files });
  const repositories = configuredRepositories({
    repositories: { 'acme/shop': builder.folder, 'acme/vault': vault.folder },
    hidden: ['acme/vault'],
  });
  const started = await startPlugins(dataFolder, [[git, { repositories }], [plugin]]);
  const services = started.services.resolve({ repositories: Repositories, links: Links, highlighter: highlighting });
  const open: OpenPage = async (path, { headers = { accept: 'text/html' }, services: more } = {}) =>
    respond(new Request(`http://localhost${path}`, { headers }), { ...services, ...more });
  return {
    builder,
    open,
    text: async (...args) => {
      const response = await open(...args);
      if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
      return response.text();
    },
    [Symbol.asyncDispose]: async () => {
      await started[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

/** As the host answers, which the test is not about. */
async function respond(request: Request, services: Resolved<Needs>): Promise<Response> {
  const [page] = plugin.pages;
  if (!page) throw new Error('the plugin has a page');
  const call: Call = {
    caller: callerOf('alice'),
    endpoint: page.path,
    signal: request.signal,
    log: silentLogger,
    navigation: [{ title: 'Search', path: '/search' }],
    reportProgress() {},
  };
  return page.respond(request, services, call).catch((error: unknown) => {
    if (!(error instanceof SextantError)) throw error;
    return Response.json(
      { code: error.code, message: error.message },
      { status: error.code === 'not_found' ? 404 : 400 },
    );
  });
}
