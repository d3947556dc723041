import {
  Links,
  Symbols,
  fileBlock,
  fileBlocksText,
  noteLines,
  numberedChunk,
  path,
  repo,
  revision,
} from '@sextant/contracts';
import { definePlugin, defineTool, oneLine } from '@sextant/core';
import { z } from 'zod';

export const findReferences = defineTool({
  name: 'find_references',
  title: 'Find references',
  description: 'Uses of a name that a file defines, in its repository and in those that depend on it.',
  guidance: { follow: 'find_references, for what uses a definition, with the file that defines it.' },
  endpoints: [],
  activity: 'navigation',
  needs: { symbols: Symbols, links: Links },
  input: z.object({
    repo,
    path: path.describe('The file that defines the symbol'),
    symbol: z.string().min(1).max(10_000).describe('Name, such as parseConfig or Store.load'),
    revision,
    line: z.int().min(1).optional().describe('Of the definition or use'),
    limit: z.int().min(1).max(1000).default(10).describe('Most uses shown'),
  }),
  output: z.object({
    fileBlocks: z.array(fileBlock),
    precision: z.enum(['precise', 'syntactic', 'text']),
    totalCount: z.int(),
    limitHit: z.boolean(),
    byNameOnly: z.boolean().optional(),
    outside: z.string().optional(),
    notes: z.array(z.string()).optional(),
  }),
  async run({ repo, path, symbol, limit, revision, line }, { symbols, links }, { caller, signal, noteRepository }) {
    const request = {
      repo,
      path,
      symbol,
      limit,
      ...(revision !== undefined && { revision }),
      ...(line !== undefined && { line }),
    };
    const { files, precision, totalCount, limitHit, isByNameOnly, outside, notes } = await symbols.findReferences(
      caller,
      request,
      signal,
    );
    for (const found of files) noteRepository?.(found.repo);
    const fileBlocks = files.map(({ repo, path, revision: rev, chunks }) => {
      const place = { repo, path, ...(rev !== undefined && { revision: rev }) };
      const shown = { type: 'file', repo, file: path, ...(rev !== undefined && { rev }), url: links.file(place) };
      return { ...shown, chunks: chunks.map(numberedChunk) };
    });
    return {
      fileBlocks,
      precision,
      totalCount,
      limitHit,
      ...(isByNameOnly && { byNameOnly: true }),
      ...(outside && { outside: outside.module ?? unknownModule }),
      ...(notes && { notes: [...notes] }),
    };
  },
  filesOf: ({ fileBlocks }) => fileBlocks.map(({ file }) => file),
  rest: 'keyword_search with repo: and file: shows the uses in one repository or folder',
  cuts: { of: [['fileBlocks', 'chunks']], flags: ['limitHit'] },
  toText: ({ fileBlocks, notes = [], ...found }) => {
    const remarks = noteLines(notes);
    if (fileBlocks.length === 0) return ['No references found.', ...remarks].join('\n\n');
    return [headline(found), fileBlocksText(fileBlocks), ...remarks].join('\n\n');
  },
});

interface Counted {
  readonly precision: string;
  readonly totalCount: number;
  readonly limitHit: boolean;
  readonly byNameOnly?: boolean | undefined;
  readonly outside?: string | undefined;
}

/** For what no import of the file names. */
const unknownModule = 'the language or a library';

/** How many uses there are, and of what if that is not sure. */
function headline({ precision, totalCount, limitHit, byNameOnly, outside }: Counted): string {
  const kind = precision === 'text' ? ' lines with the name' : totalCount === 1 ? ' reference' : ' references';
  const count = `${totalCount}${kind}${limitHit ? '; a higher limit shows more' : ''}.`;
  if (byNameOnly)
    return `${count} By name only: what is meant could not be followed; these are uses of something of that name.`;
  if (outside === undefined) return count;
  return oneLine(`${count} Defined outside of the repositories: it comes from ${outside}.`);
}

export default definePlugin({ name: 'tool-find-references', tools: [findReferences] });
