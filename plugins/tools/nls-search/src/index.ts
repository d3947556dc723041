import {
  Links,
  Search,
  Symbols,
  answerFor,
  askedQuery,
  searchAnswer,
  searchAnswerText,
  searchFields,
} from '@sextant/contracts';
import { definePlugin, defineTool, optional } from '@sextant/core';
import { z } from 'zod';

const query =
  'A question or words about the code; word forms and parts of names count. Filters: repo: file: rev: lang: count:N';

export const nlsSearch = defineTool({
  name: 'nls_search',
  title: 'Search in natural language',
  description: 'Finds files by a question, or by words whose form in the code you do not know; the best first.',
  guidance: { find: 'nls_search, for a question when you do not know the names.' },
  endpoints: [{ endpoint: 'default', unless: 'code_finder' }],
  activity: 'search',
  needs: { search: Search, links: Links, symbols: optional(Symbols) },
  input: z.object(searchFields(query)),
  output: searchAnswer,
  async run(given, { search, links, symbols }, call) {
    const found = await answerFor(search, { ...askedQuery(given), mode: 'natural' }, { ...call, links, symbols });
    for (const { repo } of found.blocks) call.noteRepository?.(repo);
    return found;
  },
  rest: 'narrow it with more words, repo: or file:, or ask for less with count:N',
  toText: searchAnswerText,
  cuts: { of: [['blocks', 'chunks']], flags: ['limitHit'] },
  filesOf: ({ blocks }) => blocks.map(({ file }) => file),
});

export default definePlugin({ name: 'tool-nls-search', tools: [nlsSearch] });
