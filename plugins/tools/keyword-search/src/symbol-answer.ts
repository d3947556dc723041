import { defaultSearchLimits, numberedChunk } from '@sextant/contracts';
import type { Links, SymbolFile, Symbols } from '@sextant/contracts';
import type { Call } from '@sextant/core';
import type { KeywordAnswer, KeywordBlock } from './answer.ts';

/** Definitions by their names; undefined where the query is for something else. */
export async function symbolAnswer(
  query: string,
  { symbols, links }: { symbols: Symbols | undefined; links: Links },
  { caller, signal }: Call,
): Promise<KeywordAnswer | undefined> {
  const found = await symbols?.search(caller, { query, limit: defaultSearchLimits.files }, signal);
  if (!found) return undefined;
  const { files, matchCount, limitHit, notes } = found;
  const blocks = files.map((file) => blockOf(file, links));
  return { blocks, matchCount, limitHit, ...(notes.length > 0 && { notes: [...notes] }) };
}

function blockOf({ repo, path, revision, chunks, places: [best] }: SymbolFile, links: Links): KeywordBlock {
  const revised = revision !== undefined && { revision };
  const line = best && { startLine: best.line, endLine: best.line };
  return {
    type: 'symbol',
    repo,
    file: path,
    ...(revision !== undefined && { rev: revision }),
    url: links.file({ repo, path, ...revised, ...line }),
    chunks: chunks.map(numberedChunk),
  };
}
