import {
  Repositories,
  Search,
  defaultSearchLimits,
  literal,
  queryOf,
  repo,
  repositoriesNamed,
} from '@sextant/contracts';
import { definePlugin, defineTool } from '@sextant/core';
import { z } from 'zod';

const todo = z.object({ place: z.string(), text: z.string(), author: z.string(), date: z.string() });

const nobody = { name: 'unknown', date: '' };

export const todoReport = defineTool({
  name: 'todo_report',
  title: 'TODO comments with author and age',
  description: 'TODO comments of a repository, the oldest first, with who wrote each line and when.',
  endpoints: [],
  needs: { search: Search, repositories: Repositories },
  input: z.object({ repo }),
  output: z.object({ todos: z.array(todo), isComplete: z.boolean() }),
  async run({ repo: name }, { search, repositories }, { caller, signal }) {
    const repository = await repositories.open(caller, name);
    const parts = [repositoriesNamed([name]), literal('TODO', { isCaseSensitive: true })];
    const query = queryOf(parts, { count: 100 });
    const request = { ...query, mode: 'keyword', limits: defaultSearchLimits } as const;
    const { files, limitHit } = await search.find(caller, request, signal);
    const todos: z.infer<typeof todo>[] = [];
    for (const { path, commit, matches } of files)
      for (const { line, text } of matches) {
        const [origin] = await repository.blame({ commit, path, startLine: line, endLine: line }, signal);
        // In a shallow clone the line may be older than the commit with which the history begins.
        const { name: author, date } = origin && !origin.isCut ? origin.author : nobody;
        todos.push({ place: `${path}:${line}`, text: text.trim(), author, date });
      }
    return { todos: todos.toSorted((a, b) => (a.date < b.date ? -1 : 1)), isComplete: !limitHit };
  },
  toText: ({ todos, isComplete }) =>
    [
      ...todos.map(({ place, text, author, date }) => `${date.slice(0, 10) || 'undated'} ${author} ${place}: ${text}`),
      ...(isComplete ? [] : ['There are more; these are of the 100 best matches.']),
    ].join('\n') || 'There are no TODO comments.',
});

export default definePlugin({ name: 'tool-todo-report', tools: [todoReport] });
