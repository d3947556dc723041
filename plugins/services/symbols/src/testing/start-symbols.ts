import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { GitStore, Symbols } from '@sextant/contracts';
import type { ReferenceAnswer, SymbolAnswer } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import type { Plugin } from '@sextant/core';
import { callerOf, startPlugins } from '@sextant/core/testing';
import git from '@sextant/service-git';
import search from '@sextant/service-search-index';
import { expect, vi } from 'vitest';
import plugin from '../index.ts';

export type Files = Readonly<Record<string, string | Buffer>>;

export interface StartedSymbols extends AsyncDisposable {
  readonly symbols: Symbols;
  readonly store: GitStore;
  readonly builders: Readonly<Record<string, RepositoryBuilder>>;
  /** Until every file of every default branch was parsed. */
  untilReadAhead(): Promise<void>;
  /** `path:line` of each definition, with the repository before it when it is another. */
  definition(at: string, symbol: string): Promise<string[]>;
  /** The same of each use. */
  references(at: string, symbol: string): Promise<string[]>;
}

const { signal } = new AbortController();
export const alice = callerOf('alice');

export interface StartOptions {
  /** Repositories that only administrators may read. */
  readonly hidden?: readonly string[];
  /** Plugins besides the service itself. */
  readonly plugins?: readonly Plugin[];
  /** Settings of the service. */
  readonly settings?: object;
}

/** The service over real repositories. A file is named `repo path`. */
export async function startSymbols(
  repositories: Readonly<Record<string, Files>>,
  { hidden = [], plugins = [], settings = {} }: StartOptions = {},
): Promise<StartedSymbols> {
  const folder = temporaryFolder();
  const builders: Record<string, RepositoryBuilder> = {};
  for (const [name, files] of Object.entries(repositories)) {
    builders[name] = new RepositoryBuilder({ folder: join(folder.path, name) });
    builders[name].commit({ files });
  }
  const dataFolder = join(folder.path, '.data');
  mkdirSync(dataFolder);
  const entries = Object.keys(repositories).map((name) => ({
    name,
    path: join(folder.path, name),
    ...(hidden.includes(name) && { access: {} }),
  }));
  const started = await startPlugins(dataFolder, [
    [git, { repositories: entries }],
    [search, { threads: 1, memoryBytes: 64 << 20 }],
    // A busy machine must not make answers that are not whole.
    [plugin, { parseMs: 60_000, answerMs: 60_000, ...settings }],
    ...plugins.map((one): [Plugin] => [one]),
  ]);
  const { symbols, store } = started.services.resolve({ symbols: Symbols, store: GitStore });
  const requestOf = (at: string, symbol: string): { repo: string; path: string; symbol: string } => {
    const [repo = '', path = ''] = at.split(' ');
    return { repo, path, symbol };
  };
  return {
    symbols,
    store,
    builders,
    untilReadAhead: async () => {
      await started.ready();
      const all = { repositories: entries.length, waiting: 0 };
      await vi.waitFor(() => expect(started.status()['symbols']?.detail).toMatchObject(all), 120_000);
    },
    definition: async (at, symbol) => placesOf(at, await symbols.findDefinition(alice, requestOf(at, symbol), signal)),
    references: async (at, symbol) =>
      placesOf(at, await symbols.findReferences(alice, { ...requestOf(at, symbol), limit: 1000 }, signal)),
    [Symbol.asyncDispose]: async () => {
      await started[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

const placesOf = (at: string, { files, precision }: SymbolAnswer | ReferenceAnswer): string[] =>
  files.flatMap(({ repo, path, places, chunks }) => {
    const place = at.startsWith(`${repo} `) ? path : `${repo} ${path}`;
    const lines = places.length > 0 ? places.map(({ line }) => line) : chunks.map(({ startLine }) => startLine);
    return lines.map((line) => `${place}:${line}${precision === 'syntactic' ? '' : ` ${precision}`}`);
  });
