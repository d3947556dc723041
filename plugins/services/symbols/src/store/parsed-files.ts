import type { Language } from '@sextant/contracts';
import { LRUCache } from 'lru-cache';
import { parsedText } from '../limits.ts';
import type { FileSymbols } from '../parse/file-symbols.ts';
import { PackedSymbols } from '../parse/packed-symbols.ts';
import type { ParseCall, ParsePool } from '../parse/parse-pool.ts';
import { fileKey } from './file-key.ts';
import type { SymbolStore } from './symbol-store.ts';

/** A content and the language that it is parsed as. */
export interface FileContent {
  readonly blob: string;
  readonly language: Language;
}

/** `skipped`: too large, or generated. `givenUp`: parsing takes too long or breaks the thread. */
type Prepared = 'parsed' | 'skipped' | 'givenUp';

/** Undefined for text that is too large or written by a program. */
type KnownSymbols = FileSymbols | 'givenUp' | undefined;

interface ParsedFile {
  readonly symbols: FileSymbols | undefined;
}

/** Files that are remembered as given up. */
const mostGivenUp = 10_000;

/** Stored for a text that is not parsed. */
const nothing = new Uint8Array();

/** Whether a text was probably written by a program. */
const isMinified = (text: string): boolean =>
  text.length > parsedText.line &&
  !/\n/.test(text.slice(0, parsedText.line)) &&
  !/\n/.test(text.slice(-parsedText.line));

interface ParsedFilesOptions {
  readonly threads: ParsePool;
  readonly stored: SymbolStore;
  /** Files kept in memory. */
  readonly cachedFiles: number;
  /** Milliseconds after which a file that was given up is tried again. */
  readonly retryMs: number;
}

/** What files define and use, by the id of their content, so that a file in many branches is parsed once. */
export class ParsedFiles {
  readonly #options: ParsedFilesOptions;
  readonly #files: LRUCache<string, ParsedFile>;
  /** When files were given up. They are not stored: other load may be the reason. */
  readonly #givenUp = new LRUCache<string, number>({ max: mostGivenUp });

  constructor(options: ParsedFilesOptions) {
    this.#options = options;
    this.#files = new LRUCache({ max: options.cachedFiles });
  }

  /** What is stored is read again. */
  forget(): void {
    this.#files.clear();
  }

  /** Whether a file was parsed before. */
  has({ blob, language }: FileContent): boolean {
    return this.#options.stored.has(fileKey(language, blob));
  }

  /** Whether a file was parsed before, or was given up and need not be tried again yet. */
  knows(file: FileContent): boolean {
    if (this.has(file)) return true;
    const key = fileKey(file.language, file.blob);
    const read = this.#files.peek(key);
    return (read !== undefined && read.symbols === undefined) || this.#isGivenUp(key);
  }

  /** `givenUp` for text that takes too long to parse or breaks the parser. It is tried again after `retryMs`. */
  async read(file: FileContent, text: () => Promise<string>, call: ParseCall): Promise<KnownSymbols> {
    const key = fileKey(file.language, file.blob);
    let known = this.#files.get(key) ?? this.#kept(key);
    if (!known) {
      if (this.#isGivenUp(key)) return 'givenUp';
      const packed = await this.#parse(file, await text(), call);
      if (!packed) return 'givenUp';
      known = parsedFile(packed);
    }
    this.#files.set(key, known);
    return known.symbols;
  }

  #isGivenUp(key: string): boolean {
    const since = this.#givenUp.get(key);
    return since !== undefined && performance.now() - since < this.#options.retryMs;
  }

  /** Undefined for a stored value that is damaged: it is parsed again. */
  #kept(key: string): ParsedFile | undefined {
    const packed = this.#options.stored.get(key);
    try {
      return packed && parsedFile(packed);
    } catch {
      return undefined;
    }
  }

  /** Parses a file ahead of questions. */
  async prepare(file: FileContent, text: string): Promise<Prepared> {
    const packed = await this.#parse(file, text);
    if (!packed) return 'givenUp';
    return packed.length > 0 ? 'parsed' : 'skipped';
  }

  async #parse({ blob, language }: FileContent, text: string, call?: ParseCall): Promise<Uint8Array | undefined> {
    const key = fileKey(language, blob);
    const isSkipped = text.length > parsedText.characters || isMinified(text);
    const packed = isSkipped ? nothing : await this.#options.threads.parse(language, text, call);
    if (packed) this.#options.stored.add(key, packed);
    else this.#givenUp.set(key, performance.now());
    return packed;
  }
}

const parsedFile = (packed: Uint8Array): ParsedFile => ({
  symbols: packed.length > 0 ? new PackedSymbols(packed) : undefined,
});
