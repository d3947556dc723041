import { join } from 'node:path';
import { GitStore, Languages, PreciseIndex, Repositories, Search, Symbols } from '@sextant/contracts';
import { Turn, all, contribute, definePlugin, optional } from '@sextant/core';
import type { Language } from '@sextant/contracts';
import { config } from './config.ts';
import { HeadFiles } from './head-files.ts';
import { LanguageTable } from './language-table.ts';
import { builtInLanguages } from './languages/index.ts';
import { Manifests } from './manifests.ts';
import { NameIndex } from './name-index.ts';
import { ParsedFiles } from './parsed-files.ts';
import { RevisionWords } from './revision-words.ts';
import { BackgroundIndexer } from './stored/background-indexer.ts';
import { StoredSymbols } from './stored/stored-symbols.ts';
import { SymbolService } from './symbol-service.ts';
import { ParseThreads } from './threads/parse-threads.ts';
import { FileTrees } from './trees.ts';

/** What other callers wait for needs several turns of the event loop. */
const longestTurnMs = 4;

export default definePlugin({
  name: 'service-symbols',
  config,
  needs: {
    store: GitStore,
    repositories: Repositories,
    search: Search,
    languages: all(Languages),
    precise: optional(PreciseIndex),
  },
  provides: { symbols: Symbols },
  contributions: builtInLanguages.map((language) => contribute(Languages, language)),
  async start(config, { store, repositories, search, precise, languages: contributed }, { dataFolder, log }) {
    const { threads: count, parseMs, answerMs, cachedFiles, cachedPaths, storedBytes } = config;
    const languages = new LanguageTable(contributed, config.disabledLanguages);
    const threads = new ParseThreads({ threads: count, limit: parseMs });
    await requireGrammars(threads, contributed);
    const stored = new StoredSymbols({ folder: join(dataFolder, 'symbols'), maxBytes: storedBytes, log });
    const parsed = new ParsedFiles({ threads, stored, cachedFiles });
    const heads = new HeadFiles();
    const indexer = new BackgroundIndexer({ git: store, languages, parsed, heads, atOnce: 2 * count, log });
    const words = new RevisionWords(store);
    const turn = new Turn(longestTurnMs);
    const names = new NameIndex({ stored, parsed, languages, heads, words, turn });
    const trees = new FileTrees(store, cachedPaths);
    const sources = { repositories, languages, search, trees, parsed, precise, answerMs, turn };
    return {
      symbols: {
        value: new SymbolService({ ...sources, names, manifests: new Manifests() }),
        ready: async () => indexer.start(),
        status: () => indexer.status(),
        close: async () => {
          words.close();
          await indexer.close();
          await threads.close();
          stored.close();
        },
      },
    };
  },
});

/** Throws for a language of another plugin whose grammar or tag query cannot be used; those of this one are tested. */
async function requireGrammars(threads: ParseThreads, languages: readonly Language[]): Promise<void> {
  try {
    for (const language of languages.filter((one) => !builtInLanguages.includes(one)))
      await threads.parse(language, '');
  } catch (error) {
    await threads.close();
    throw error;
  }
}
