import type { FoundFile, SymbolFile } from '@sextant/contracts';
import { SextantError } from '@sextant/core';
import { escaped } from './pattern.ts';
import type { Snapshot } from './snapshot.ts';

const longestName = 200;

/** Throws `invalid_argument` for what cannot be a simple name in any language: spaces, dots, nothing, very long. */
export function requireName(symbol: string): void {
  if (symbol.length > longestName)
    throw new SextantError('invalid_argument', `symbol: at most ${longestName} characters; found ${symbol.length}`);
  const last = symbol.split(/::|->|\.|#(?=.)/).at(-1);
  if (/^[@$#]?[\p{L}\p{N}_$-]+[?!]?$/u.test(symbol)) return;
  const hint = last && last !== symbol && /^[\w$]+$/.test(last) ? ` Did you mean "${last}"?` : '';
  throw new SextantError(
    'invalid_argument',
    `symbol: a simple name such as parseConfig is wanted, without dots, spaces or operators; found "${symbol}".${hint}`,
  );
}

/** Whether a text has a name that is no part of a longer one. */
export const hasWord = (text: string, name: string): boolean =>
  new RegExp(`(?<![\\p{L}\\p{N}_])${escaped(name)}(?![\\p{L}\\p{N}_])`, 'u').test(text);

/** The lines of each file as they follow each other. */
export const inOrderOfLines = (files: readonly FoundFile[]): FoundFile[] =>
  files.map((file) => ({ ...file, chunks: file.chunks.toSorted((a, b) => a.startLine - b.startLine) }));

/** What a search for the word found. */
export const textMatches = (files: readonly FoundFile[], { repo, revision }: Snapshot): SymbolFile[] =>
  files.map(({ path, chunks }) => ({
    repo,
    path,
    ...(revision !== undefined && { revision }),
    chunks,
    places: [],
  }));
