import { LRUCache } from 'lru-cache';
import type { FileSymbols } from './file-symbols.ts';
import type { Language } from '@sextant/contracts';
import type { ParseThreads } from './threads/parse-threads.ts';

interface ParsedFile {
  readonly symbols: FileSymbols | undefined;
}

/** Longer texts are not parsed. */
const maxCharacters = 1_000_000;
const longestLine = 20_000;

/** What is written by programs for programs. */
const isMinified = (text: string): boolean =>
  text.length > longestLine && !/\n/.test(text.slice(0, longestLine)) && !/\n/.test(text.slice(-longestLine));

/** What files define and use, kept by the id of their content: a file that many branches have is parsed once. */
export class ParsedFiles {
  readonly #threads: ParseThreads;
  readonly #files: LRUCache<string, ParsedFile>;

  constructor(threads: ParseThreads, cachedFiles: number) {
    this.#threads = threads;
    this.#files = new LRUCache({ max: cachedFiles });
  }

  /** Undefined for text that is too large or written by a program. */
  async read(
    { blob, language }: { blob: string; language: Language },
    text: () => Promise<string>,
  ): Promise<FileSymbols | undefined> {
    const key = `${language.name} ${blob}`;
    const known = this.#files.get(key);
    if (known) return known.symbols;
    const content = await text();
    const isSkipped = content.length > maxCharacters || isMinified(content);
    const symbols = isSkipped ? undefined : await this.#threads.parse(language, content);
    this.#files.set(key, { symbols });
    return symbols;
  }
}
