import { Repositories } from '@sextant/contracts';
import type { RepositoryInfo } from '@sextant/contracts';
import { definePlugin, defineTool, oneLine } from '@sextant/core';
import { z } from 'zod';

const repository = z.object({
  name: z.string(),
  description: z.string(),
  private: z.boolean(),
  archived: z.boolean(),
  fork: z.boolean(),
  defaultBranch: z.string(),
});

export const listRepos = defineTool({
  name: 'list_repos',
  title: 'Find repositories',
  description: 'Repositories that you may read, by a part of the name. Other tools take exactly these names.',
  guidance: { begin: 'list_repos gives the exact names of repositories, which every other tool wants.' },
  endpoints: ['default'],
  needs: { repositories: Repositories },
  input: z.object({
    query: z.string().max(1000).describe('Part of the name, any case; empty: all'),
    limit: z.int().min(1).max(10_000).default(50).describe('Most repositories'),
  }),
  output: z.object({ repositories: z.array(repository), hasMoreResults: z.boolean() }),
  async run({ query, limit }, { repositories }, { caller }) {
    const part = query.toLowerCase();
    const found = (await repositories.list(caller)).filter(({ name }) => name.toLowerCase().includes(part));
    return { repositories: found.slice(0, limit).map(toWire), hasMoreResults: found.length > limit };
  },
  rest: 'narrow the query to a part of the name, or lower limit',
  cuts: { of: [['repositories']], flags: ['hasMoreResults'] },
  toText: ({ repositories: found, hasMoreResults }) => {
    if (found.length === 0) return 'No repository that you may read has this in its name. An empty query lists all.';
    const rest = `[only the first ${found.length}; narrow the query or raise limit]`;
    return [...found.map(toLine), ...(hasMoreResults ? [rest] : [])].join('\n');
  },
});

export default definePlugin({ name: 'tool-list-repos', tools: [listRepos] });

const toWire = ({
  name,
  description,
  isPrivate,
  isArchived,
  isFork,
  defaultBranch,
}: RepositoryInfo): z.input<typeof repository> => ({
  name,
  description,
  private: isPrivate,
  archived: isArchived,
  fork: isFork,
  defaultBranch,
});

function toLine({ name, description, archived, fork, defaultBranch }: z.output<typeof repository>): string {
  const marks = [defaultBranch, ...(fork ? ['fork'] : []), ...(archived ? ['archived'] : [])].filter(
    (mark) => mark !== '',
  );
  const said = description && ` – ${description.replaceAll(/\s+/g, ' ')}`;
  return oneLine(`${name}${marks.length > 0 ? ` (${marks.join(', ')})` : ''}${said}`);
}
