import { Links, Search, defaultSearchLimits, fileBlock, fileBlocksText, numberedChunk } from '@sextant/contracts';
import type { FileBlock, FoundFile, SearchResult } from '@sextant/contracts';
import { definePlugin, defineTool } from '@sextant/core';
import { z } from 'zod';

const query = z
  .string()
  .min(1)
  .max(8192)
  .describe(
    'Words are ANDed per file; AND OR NOT () -word "exact phrase" /regex/. Filters: repo: file: (regex, - negates) rev: lang: case:yes count:N|all type:path|repo select:repo|file',
  );

export const keywordSearch = defineTool({
  name: 'keyword_search',
  title: 'Search for exact keywords',
  description:
    'Files whose text or path has these exact keywords, in any revision, the best first with the lines around.',
  guidance: 'To find code by the words or names in it, use keyword_search; narrow it with repo: and file:.',
  endpoints: ['default'],
  needs: { search: Search, links: Links },
  input: z.object({ query }),
  output: z.object({
    blocks: z.array(fileBlock),
    matchCount: z.int(),
    limitHit: z.boolean(),
    notes: z.array(z.string()).optional(),
  }),
  async run({ query }, { search, links }, { caller, signal }) {
    const result = await search.find(caller, { query, mode: 'keyword', limits: defaultSearchLimits }, signal);
    const { matchCount, limitHit, notes } = result;
    const blocks = result.files.map((file) => blockOf(file, result.type, links));
    return { blocks, matchCount, limitHit, ...(notes.length > 0 && { notes: [...notes] }) };
  },
  toText: ({ blocks, matchCount, limitHit, notes = [] }) => {
    const found = blocks.length > 0 ? [fileBlocksText(blocks)] : ['No matches.'];
    const left = limitHit
      ? [
          `[${blocks.length} of the results are shown (${matchCount} or more matches); add words, repo: or file:, or ask for more with count:N]`,
        ]
      : [];
    return [...found, ...notes.map((note) => `[${note}]`), ...left].join('\n\n');
  },
});

function blockOf(file: FoundFile, type: SearchResult['type'], links: Links): FileBlock {
  const { repo, path, revision, chunks } = file;
  const [first] = chunks;
  const lines = first && { startLine: first.startLine, endLine: first.endLine };
  const rev = revision !== undefined && { rev: revision };
  const url = links.file({ repo, path, ...(revision !== undefined && { revision }), ...lines });
  return { type: type === 'repo' ? 'repo' : 'file', repo, file: path, ...rev, url, chunks: chunks.map(numberedChunk) };
}

export default definePlugin({ name: 'tool-keyword-search', tools: [keywordSearch] });
