import { oneLine } from '@sextant/core';
import { z } from 'zod';
import type { Chunk } from './search.ts';

/** Lines of files as every tool that shows code spells them. */
export const fileBlock = z.object({
  type: z.string().describe('file, or repo where repositories were asked for'),
  repo: z.string(),
  file: z.string().describe('Path from the root; empty for a repository'),
  rev: z.string().describe('As asked for; absent: the default branch').optional(),
  url: z.string(),
  chunks: z.array(
    z.object({ startLine: z.int(), endLine: z.int(), content: z.string().describe('Each line prefixed "<n>: "') }),
  ),
});
export type FileBlock = z.output<typeof fileBlock>;

/** A chunk with its numbers. */
export const numberedChunk = ({ startLine, endLine, lines }: Chunk): FileBlock['chunks'][number] => ({
  startLine,
  endLine,
  content: lines.map((line, index) => `${startLine + index}: ${line}`).join('\n'),
});

/** What a model reads: a heading per file, the lines below it, a gap between chunks. */
export const fileBlocksText = (blocks: readonly FileBlock[]): string => blocks.map(blockText).join('\n\n');

function blockText({ repo, file, rev, chunks }: FileBlock): string {
  const heading = oneLine(`# ${repo}${rev === undefined ? '' : `@${rev}`}${file === '' ? '' : ` – ${file}`}`);
  return [heading, chunks.map(({ content }) => content).join('\n…\n')].filter((part) => part !== '').join('\n');
}

/** Remarks as answers end with them. */
export const noteLines = (notes: readonly string[]): string[] => notes.map((note) => oneLine(`[${note}]`));
