import { Links, Search, answerOf, findToShow, parseQuery, searchAnswer, searchAnswerText } from '@sextant/contracts';
import { definePlugin, defineTool } from '@sextant/core';
import { z } from 'zod';

const query = z
  .string()
  .min(1)
  .max(8192)
  .describe(
    'A question or words about the code; word forms and identifier parts count. Filters: repo: file: rev: lang: count:N',
  );

export const nlsSearch = defineTool({
  name: 'nls_search',
  title: 'Search in natural language',
  description:
    'Files about what a question asks, ranked by how much of it they speak of; the words need not stand there exactly.',
  guidance: 'To find code by what it does when you do not know its names, use nls_search.',
  endpoints: [{ endpoint: 'default', unless: 'code_finder' }],
  activity: 'search',
  needs: { search: Search, links: Links },
  input: z.object({ query }),
  output: searchAnswer,
  async run({ query }, { search, links }, call) {
    return answerOf(await findToShow(search, { ...parseQuery(query), mode: 'natural' }, call), links);
  },
  rest: 'narrow it with more words, repo: or file:, or ask for less with count:N',
  toText: searchAnswerText,
  filesOf: ({ blocks }) => blocks.map(({ file }) => file),
});

export default definePlugin({ name: 'tool-nls-search', tools: [nlsSearch] });
