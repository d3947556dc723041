import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { PreciseIndex } from '@sextant/contracts';
import type { UploadedIndex } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import type { ServiceFailure } from '@sextant/core';
import { callerOf, startPlugins } from '@sextant/core/testing';
import git from '@sextant/service-git';
import plugin from '../index.ts';

export const uploader = callerOf('ci', { permissions: ['SCIP#UPLOAD'] });
export const alice = callerOf('alice');
export const { signal } = new AbortController();

export interface StartedScip extends AsyncDisposable {
  readonly precise: PreciseIndex;
  readonly dataFolder: string;
  builder(repo: string): RepositoryBuilder;
  failures(): readonly ServiceFailure[];
  upload(repo: string, content: Uint8Array, commit?: string): Promise<UploadedIndex>;
  /** `path:line` of each definition, with the repository before it when it is another; undefined where no index knows. */
  definition(at: string, symbol: string, revision?: string): Promise<string[] | undefined>;
  references(at: string, symbol: string, revision?: string): Promise<string[] | undefined>;
}

/** The service over real repositories with one commit each; those in `hidden` only administrators may read. */
export async function startScip(
  repositories: Readonly<Record<string, Readonly<Record<string, string>>>>,
  { config = {}, hidden = [] }: { config?: object; hidden?: readonly string[] } = {},
): Promise<StartedScip> {
  const folder = temporaryFolder();
  const builders = new Map<string, RepositoryBuilder>();
  for (const [name, files] of Object.entries(repositories)) {
    const builder = new RepositoryBuilder({ folder: join(folder.path, name) });
    builder.commit({ files });
    builders.set(name, builder);
  }
  const dataFolder = join(folder.path, '.data');
  mkdirSync(dataFolder);
  const entries = Object.keys(repositories).map((name) => ({
    name,
    path: join(folder.path, name),
    ...(hidden.includes(name) && { access: { users: ['ci'] } }),
  }));
  const started = await startPlugins(dataFolder, [
    [git, { repositories: entries }],
    [plugin, config],
  ]);
  const { precise } = started.services.resolve({ precise: PreciseIndex });
  const requestOf = (at: string, symbol: string, revision?: string): Parameters<PreciseIndex['findDefinition']>[1] => {
    const [repo = '', path = ''] = at.split(' ');
    return { repo, path, symbol, ...(revision !== undefined && { revision }) };
  };
  const shown = (at: string, places: readonly { repo: string; path: string; line: number }[] | undefined) =>
    places?.map(({ repo, path, line }) => `${at.startsWith(`${repo} `) ? '' : `${repo} `}${path}:${line}`);
  return {
    precise,
    dataFolder,
    builder: (repo) => {
      const builder = builders.get(repo);
      if (!builder) throw new Error(`there is no repository ${repo}`);
      return builder;
    },
    failures: () => Object.values(started.status()).flatMap(({ failures = [] }) => failures),
    upload: (repo, content, commit = 'HEAD') =>
      precise.upload(uploader, { repo, commit, content: inPieces(content) }, signal),
    definition: async (at, symbol, revision) =>
      shown(at, await precise.findDefinition(alice, requestOf(at, symbol, revision), signal)),
    references: async (at, symbol, revision) =>
      shown(at, (await precise.findReferences(alice, requestOf(at, symbol, revision), signal))?.places),
    [Symbol.asyncDispose]: async () => {
      await started[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

/** As a client that sends slowly. */
export async function* inPieces(content: Uint8Array, length = 1000): AsyncGenerator<Uint8Array, void, void> {
  for (let at = 0; at < content.length; at += length) yield content.subarray(at, at + length);
}
