import { Search, answerOf, defaultSearchLimits } from '@sextant/contracts';
import { definePlugin, defineTool } from '@sextant/core';
import { z } from 'zod';
import { keywordAnswer } from './answer.ts';
import { answerOfKind, kindNeeds } from './kinds.ts';
import { toText } from './text.ts';

const query = z
  .string()
  .min(1)
  .max(8192)
  .describe(
    'Words are ANDed per file; AND OR NOT () -word "exact phrase" /regex/. Filters: repo: file: (regex, - negates) rev: lang: case:yes count:N|all type:path|repo|symbol|commit|diff select:repo|file; of commits author: message: after: before:',
  );

export const keywordSearch = defineTool({
  name: 'keyword_search',
  title: 'Search for exact keywords',
  description:
    'Files whose text or path has these exact keywords, in any revision, the best first with the lines around.',
  guidance: 'To find code by the words or names in it, use keyword_search; narrow it with repo: and file:.',
  endpoints: ['default'],
  needs: { search: Search, ...kindNeeds },
  input: z.object({ query }),
  output: keywordAnswer,
  async run({ query }, { search, ...services }, call) {
    const answer = await answerOfKind(query, services, call);
    if (answer) return answer;
    const request = { query, mode: 'keyword', limits: defaultSearchLimits } as const;
    return answerOf(await search.find(call.caller, request, call.signal), services.links);
  },
  toText,
  filesOf: ({ blocks }) => blocks.map(({ file }) => file),
});

export default definePlugin({ name: 'tool-keyword-search', tools: [keywordSearch] });
