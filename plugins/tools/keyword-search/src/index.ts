import {
  History,
  Links,
  Search,
  Symbols,
  answerFor,
  askedQuery,
  defaultSearchLimits,
  filtersInTools,
  searchAnswerText,
  searchFields,
  subjectOf,
} from '@sextant/contracts';
import { definePlugin, defineTool, optional } from '@sextant/core';
import { z } from 'zod';
import { historyAnswer, historyText, isOfHistory, keywordAnswer, symbolAnswer } from './keyword-answer.ts';
import type { KeywordAnswer } from './keyword-answer.ts';

const query = `Words are ANDed per file; AND OR NOT () -word "exact phrase" /regex/. Filters: ${filtersInTools()}`;

export const keywordSearch = defineTool({
  name: 'keyword_search',
  title: 'Search for exact keywords',
  description:
    'Finds files whose text or path has these exact words, names or patterns, at any revision; the best first.',
  guidance: {
    find: 'keyword_search, for words, names or error texts that stand in the code; narrow it with repo: and file:.',
  },
  endpoints: ['default'],
  activity: 'search',
  needs: { search: Search, links: Links, history: optional(History), symbols: optional(Symbols) },
  input: z.object(searchFields(query)),
  output: keywordAnswer,
  async run(given, { search, links, history, symbols }, call) {
    const { caller, signal } = call;
    const parsed = askedQuery(given);
    const subject = subjectOf(parsed);
    const asked = { ...parsed, limit: defaultSearchLimits.files };
    const answer = async (): Promise<KeywordAnswer> => {
      if (subject === 'history' && history) return historyAnswer(await history.find(caller, asked, signal), links);
      if (subject === 'symbols' && symbols) return symbolAnswer(await symbols.search(caller, asked, signal), links);
      // Without the service that answers it, the search says what can be asked here.
      return answerFor(search, { ...parsed, mode: 'keyword' }, { ...call, links, symbols });
    };
    const found = await answer();
    for (const { repo } of found.blocks) call.noteRepository?.(repo);
    return found;
  },
  rest: 'search one repository, folder or file at a time with repo: and file:, or ask for less with count:N',
  toText: (answer) => (isOfHistory(answer) ? historyText(answer) : searchAnswerText(answer)),
  cuts: { of: [['blocks', 'chunks']], flags: ['limitHit'] },
  filesOf: ({ blocks }) => blocks.map(({ file }) => file),
});

export default definePlugin({ name: 'tool-keyword-search', tools: [keywordSearch] });
