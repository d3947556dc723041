import type { FoundSymbols, SearchResult } from '@sextant/contracts';

/** Definitions in the form of a search for files: they are shown alike. */
export function asFiles({ files, matchCount, limitHit, notes }: FoundSymbols): SearchResult {
  const found = files.map(({ places, ...file }) => ({
    ...file,
    commit: '',
    matches: places.map(({ line }) => ({ line, text: '', ranges: [] })),
    matchCount: places.length,
  }));
  return { type: 'file', files: found, matchCount, fileCount: files.length, limitHit, notes };
}
