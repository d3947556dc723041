import { Links, Search, answerOf, defaultSearchLimits, searchAnswer, searchAnswerText } from '@sextant/contracts';
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
  output: searchAnswer,
  async run({ query }, { search, links }, { caller, signal }) {
    return answerOf(await search.find(caller, { query, mode: 'keyword', limits: defaultSearchLimits }, signal), links);
  },
  toText: searchAnswerText,
  filesOf: ({ blocks }) => blocks.map(({ file }) => file),
});

export default definePlugin({ name: 'tool-keyword-search', tools: [keywordSearch] });
