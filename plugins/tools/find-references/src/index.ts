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
import { definePlugin, defineTool } from '@sextant/core';
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
    symbol: z.string().min(1).max(10_000).describe('Simple name, such as parseConfig'),
    revision,
    limit: z.int().min(1).max(1000).default(10).describe('Most uses shown'),
  }),
  output: z.object({
    fileBlocks: z.array(fileBlock),
    precision: z.enum(['precise', 'syntactic', 'text']),
    totalCount: z.int(),
    limitHit: z.boolean(),
    notes: z.array(z.string()).optional(),
  }),
  async run({ repo, path, symbol, limit, revision }, { symbols, links }, { caller, signal }) {
    const request = { repo, path, symbol, limit, ...(revision !== undefined && { revision }) };
    const { files, notes, ...rest } = await symbols.findReferences(caller, request, signal);
    const fileBlocks = files.map(({ repo, path, revision: rev, chunks }) => {
      const place = { repo, path, ...(rev !== undefined && { revision: rev }) };
      const shown = { type: 'file', repo, file: path, ...(rev !== undefined && { rev }), url: links.file(place) };
      return { ...shown, chunks: chunks.map(numberedChunk) };
    });
    return { fileBlocks, ...rest, ...(notes && { notes: [...notes] }) };
  },
  filesOf: ({ fileBlocks }) => fileBlocks.map(({ file }) => file),
  rest: 'keyword_search with repo: and file: shows the uses in one repository or folder',
  toText: ({ fileBlocks, precision, totalCount, limitHit, notes = [] }) => {
    const said = noteLines(notes);
    if (fileBlocks.length === 0) return ['No references found.', ...said].join('\n\n');
    const kind = precision === 'text' ? ' lines with the name' : totalCount === 1 ? ' reference' : ' references';
    const more = limitHit ? '; a higher limit shows more' : '';
    return [`${totalCount}${kind}${more}.`, fileBlocksText(fileBlocks), ...said].join('\n\n');
  },
});

export default definePlugin({ name: 'tool-find-references', tools: [findReferences] });
