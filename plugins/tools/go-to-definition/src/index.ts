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
    symbol: z.string().min(1).max(10_000).describe('Name, such as parseConfig or Store.load'),
    revision,
    line: z.int().min(1).optional().describe('Of the use'),
  }),
  output: z.object({
    fileBlocks: z.array(fileBlock),
    precision: z.enum(['precise', 'syntactic', 'text']),
    byNameOnly: z.boolean().optional(),
    outside: z.string().optional(),
    notes: z.array(z.string()).optional(),
  }),
  async run({ repo, path, symbol, revision, line }, { symbols, links }, { caller, signal, noteRepository }) {
    const request = {
      repo,
      path,
      symbol,
      ...(revision !== undefined && { revision }),
      ...(line !== undefined && { line }),
    };
    const { files, precision, isByNameOnly, outside, notes } = await symbols.findDefinition(caller, request, signal);
    for (const found of files) noteRepository?.(found.repo);
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
    return {
      fileBlocks,
      precision,
      ...(isByNameOnly && { byNameOnly: true }),
      ...(outside && { outside: outside.module ?? unknownModule }),
      ...(notes && { notes: [...notes] }),
    };
  },
  filesOf: ({ fileBlocks }) => fileBlocks.map(({ file }) => file),
  rest: 'read_file shows the files that are named',
  cuts: { of: [['fileBlocks', 'chunks']] },
  toText: ({ fileBlocks, notes = [], ...how }) => {
    const found =
      fileBlocks.length === 0 && !how.outside ? ['No definition found.'] : [...said(how), fileBlocksText(fileBlocks)];
    return [...found, ...noteLines(notes)].filter((part) => part !== '').join('\n\n');
  },
});

/** For what no import of the file names. */
const unknownModule = 'the language or a library';

/** What a reader must know before the files. */
function said({
  precision,
  byNameOnly,
  outside,
}: {
  precision: string;
  byNameOnly?: boolean | undefined;
  outside?: string | undefined;
}): string[] {
  if (byNameOnly)
    return ['By name only: what the use means could not be followed; these define something of that name.'];
  if (outside !== undefined)
    return [oneLine(`Defined outside of the repositories: it comes from ${outside}. Some uses:`)];
  return precision === 'text' ? ['No definition is known; these lines have the name.'] : [];
}

export default definePlugin({ name: 'tool-go-to-definition', tools: [goToDefinition] });
