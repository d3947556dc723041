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

export const goToDefinition = defineTool({
  name: 'go_to_definition',
  title: 'Go to definition',
  description:
    'Where a name used in a file is defined, in this repository or another, with the code of the definition.',
  guidance: { follow: 'go_to_definition, for what a name means, with a file that uses it.' },
  endpoints: [],
  activity: 'navigation',
  needs: { symbols: Symbols, links: Links },
  input: z.object({
    repo,
    path: path.describe('A file that uses the symbol'),
    symbol: z.string().min(1).max(10_000).describe('Simple name, such as parseConfig'),
    revision,
  }),
  output: z.object({
    fileBlocks: z.array(fileBlock),
    precision: z.enum(['precise', 'syntactic', 'text']),
    notes: z.array(z.string()).optional(),
  }),
  async run({ repo, path, symbol, revision }, { symbols, links }, { caller, signal }) {
    const request = { repo, path, symbol, ...(revision !== undefined && { revision }) };
    const { files, precision, notes } = await symbols.findDefinition(caller, request, signal);
    const fileBlocks = files.map(({ repo, path, revision: rev, chunks, places }) => {
      const lines = places.map(({ line }) => line);
      const place = lines.length > 0 && { startLine: Math.min(...lines), endLine: Math.max(...lines) };
      const url = links.file({ repo, path, ...(rev !== undefined && { revision: rev }), ...place });
      return {
        type: 'file',
        repo,
        file: path,
        ...(rev !== undefined && { rev }),
        url,
        chunks: chunks.map(numberedChunk),
      };
    });
    return { fileBlocks, precision, ...(notes && { notes: [...notes] }) };
  },
  filesOf: ({ fileBlocks }) => fileBlocks.map(({ file }) => file),
  rest: 'read_file shows the files that are named',
  toText: ({ fileBlocks, precision, notes = [] }) => {
    const found = fileBlocks.length === 0 ? ['No definition found.'] : [...said[precision], fileBlocksText(fileBlocks)];
    return [...found, ...noteLines(notes)].join('\n\n');
  },
});

const said = {
  precise: [],
  syntactic: [],
  text: ['No definition is known; these lines have the name.'],
} as const;

export default definePlugin({ name: 'tool-go-to-definition', tools: [goToDefinition] });
