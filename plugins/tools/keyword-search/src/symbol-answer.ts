import { numberedChunk } from '@sextant/contracts';
import type { FoundSymbols, Links, SymbolFile } from '@sextant/contracts';
import type { KeywordAnswer, KeywordBlock } from './answer.ts';

/** Definitions as blocks. */
export function symbolAnswer({ files, matchCount, limitHit, notes }: FoundSymbols, links: Links): KeywordAnswer {
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
