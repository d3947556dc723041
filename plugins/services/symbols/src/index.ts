import { join } from 'node:path';
import { GitStore, Languages, PreciseIndex, Repositories, Search, Symbols } from '@sextant/contracts';
import type { Language } from '@sextant/contracts';
import { SoughtSymbols, SymbolNodes } from '@sextant/contracts/nodes';
import { ContributionError, Turn, all, contribute, definePlugin, messageOf, optional } from '@sextant/core';
import { z } from 'zod';
import { Manifests } from './candidates/manifests.ts';
import { NameIndex } from './candidates/name-index.ts';
import { builtInLanguages } from './languages/built-in-languages.ts';
import { LanguageTable } from './languages/language-table.ts';
import { OwnSoughtSymbols } from './nodes/sought-symbols.ts';
import { SpreadSymbols } from './nodes/spread-symbols.ts';
import { ParsePool } from './parse/parse-pool.ts';
import { FileTrees } from './snapshot/file-tree.ts';
import { BackgroundIndexer } from './store/background-indexer.ts';
import { HeadFiles } from './store/head-files.ts';
import { ParsedFiles } from './store/parsed-files.ts';
import { SymbolStore, inspectSymbols } from './store/symbol-store.ts';
import { SymbolService } from './symbol-service.ts';

const config = z.object({
  threads: z.int().min(1).max(64).default(1).describe('Threads that read files ahead; one more parses for callers'),
  parseMs: z.int().min(10).max(60_000).default(5000).describe('Milliseconds after which a file is given up'),
  answerMs: z
    .int()
    .min(100)
    .max(60_000)
    .default(10_000)
    .describe('Milliseconds after which a search for names or uses answers with what it has found'),
  disabledLanguages: z.array(z.string()).default([]).describe('Languages that are not parsed, by name'),
  cachedFiles: z.int().min(10).max(1_000_000).default(5000).describe('Parsed files kept in memory'),
  storedBytes: z
    .int()
    .min(0)
    .default(4 * 2 ** 30)
    .describe('Most bytes of what is known of files on disk'),
  cachedPaths: z.int().min(1000).max(10_000_000).default(500_000).describe('Paths of trees kept in memory'),
});

/** Milliseconds after which a file that was given up is tried again. */
const retryMs = 600_000;
/** Milliseconds of one turn. Longer work takes several turns of the event loop, so that other callers need not wait. */
const longestTurnMs = 4;

export default definePlugin({
  name: 'service-symbols',
  config,
  dataFiles: [{ path: 'symbols', isRebuilt: true, inspect: inspectSymbols }],
  needs: {
    store: GitStore,
    repositories: Repositories,
    search: Search,
    languages: all(Languages),
    precise: optional(PreciseIndex),
    nodes: optional(SymbolNodes),
  },
  provides: { symbols: Symbols, sought: SoughtSymbols },
  contributions: builtInLanguages.map((language) => contribute(Languages, language)),
  async start(config, { store, repositories, search, precise, nodes, languages: contributed }, { dataFolder, log }) {
    const { threads: count, parseMs, answerMs, cachedFiles, cachedPaths, storedBytes } = config;
    const languages = new LanguageTable(contributed, config.disabledLanguages);
    const threads = new ParsePool({ threads: count, limit: parseMs });
    await requireGrammars(threads, contributed);
    const stored = new SymbolStore({ folder: join(dataFolder, 'symbols'), maxBytes: storedBytes, log });
    const parsed = new ParsedFiles({ threads, stored, cachedFiles, retryMs });
    const heads = new HeadFiles();
    const indexer = new BackgroundIndexer({ git: store, languages, parsed, heads, atOnce: 2 * count, log });
    const turn = new Turn(longestTurnMs);
    const names = new NameIndex({ stored, parsed, languages, heads, turn });
    const trees = new FileTrees(store, cachedPaths, turn);
    const manifests = new Manifests();
    const sources = { repositories, languages, search, trees, parsed, precise, answerMs, turn, names, manifests };
    const own = new SymbolService(sources);
    return {
      symbols: {
        value: nodes ? new SpreadSymbols({ nodes, own, repositories, precise }) : own,
        ready: async () => indexer.start(),
        status: () => indexer.status(),
        shed: () => {
          for (const cache of [parsed, trees]) cache.forget();
        },
        close: async () => {
          await indexer.close();
          await threads.close();
          stored.close();
        },
      },
      sought: { value: new OwnSoughtSymbols(sources) },
    };
  },
});

/** Throws if the grammar or tag query of another plugin's language cannot be used. Tests cover the built-in ones. */
async function requireGrammars(threads: ParsePool, languages: readonly Language[]): Promise<void> {
  for (const language of languages.filter((one) => !builtInLanguages.includes(one)))
    await threads.parse(language, '').catch(async (error: unknown) => {
      await threads.close();
      throw new ContributionError(language, messageOf(error));
    });
}
