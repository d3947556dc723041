import { oneLine } from '@sextant/core';
import { z } from 'zod';
import { defaultSearchLimits } from './search.ts';
import type { Chunk, FoundFile, SearchResult } from './search.ts';
import type { Links } from './links.ts';

/** Lines of a file, in the form that all tools share. */
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

/** What the search tools answer with. */
export const searchAnswer = z.object({
  blocks: z.array(fileBlock),
  matchCount: z.int(),
  limitHit: z.boolean(),
  notes: z.array(z.string()).optional(),
});
export type SearchAnswer = z.output<typeof searchAnswer>;

/** A search result as an answer. */
export function answerOf({ files, type, matchCount, limitHit, notes }: SearchResult, links: Links): SearchAnswer {
  const blocks = files.map((file) => blockOf(file, type, links));
  return { blocks, matchCount, limitHit, ...(notes.length > 0 && { notes: [...notes] }) };
}

function blockOf(file: FoundFile, type: SearchResult['type'], links: Links): FileBlock {
  const { repo, path, revision, chunks } = file;
  const [first] = chunks;
  const lines = first && { startLine: first.startLine, endLine: first.endLine };
  const rev = revision !== undefined && { rev: revision };
  const url = links.file({ repo, path, ...(revision !== undefined && { revision }), ...lines });
  return { type: type === 'repo' ? 'repo' : 'file', repo, file: path, ...rev, url, chunks: chunks.map(numberedChunk) };
}

/** What a model reads: the best first, then remarks, then what was left out and how to get it. */
export function searchAnswerText({ blocks, matchCount, limitHit, notes = [] }: SearchAnswer): string {
  const found = blocks.length > 0 ? fileBlocksText(blocks) : 'No matches.';
  if (blocks.length === 0 && limitHit) return [found, ...noteLines(notes), cutText(notes.length > 0)].join('\n\n');
  // More files are shown only where `count:` asked for them.
  const more = blocks.length > defaultSearchLimits.files ? '' : ', or ask for more with count:N';
  const left = `[${blocks.length} of the results are shown (${matchCount} or more matches); add words, repo: or file:${more}]`;
  return [found, ...noteLines(notes), ...(limitHit ? [left] : [])].join('\n\n');
}

/** Nothing was found, but only a part was searched. */
const cutText = (isSaid: boolean): string =>
  `[Not all was searched${isSaid ? ', as said above' : ''}: this does not mean that there is nothing; narrow the search with repo: or file:, or search again later]`;
