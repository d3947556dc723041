import { GitStore, Languages, PreciseIndex, Repositories, Search, Symbols } from '@sextant/contracts';
import { all, contribute, definePlugin, optional } from '@sextant/core';
import type { Language } from '@sextant/contracts';
import { config } from './config.ts';
import { LanguageTable } from './language-table.ts';
import { builtInLanguages } from './languages/index.ts';
import { ParsedFiles } from './parsed-files.ts';
import { SymbolService } from './symbol-service.ts';
import { ParseThreads } from './threads/parse-threads.ts';
import { FileTrees } from './trees.ts';

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
  async start(config, { store, repositories, search, precise, languages: contributed }) {
    const { threads: count, parseMs, cachedFiles, cachedPaths } = config;
    const languages = new LanguageTable(contributed, config.disabledLanguages);
    const threads = new ParseThreads({ threads: count, limit: parseMs });
    await requireGrammars(threads, contributed);
    const parsed = new ParsedFiles(threads, cachedFiles);
    const trees = new FileTrees(store, cachedPaths);
    return {
      symbols: {
        value: new SymbolService({ repositories, languages, search, trees, parsed, precise }),
        close: () => threads.close(),
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
