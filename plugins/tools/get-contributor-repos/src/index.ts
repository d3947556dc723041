import { History, noteLines } from '@sextant/contracts';
import { definePlugin, defineTool } from '@sextant/core';
import { z } from 'zod';

const contribution = z.object({ repoName: z.string(), repoCommitCount: z.int(), repoMostRecentCommitDate: z.string() });

export const getContributorRepos = defineTool({
  name: 'get_contributor_repos',
  title: 'Repositories of contributors',
  description: 'Repositories that people committed to (default branches), those with most of their commits first.',
  guidance: { history: 'get_contributor_repos, for where somebody works.' },
  endpoints: [],
  activity: 'history',
  needs: { history: History },
  input: z.object({
    authors: z.array(z.string().min(1).max(200)).min(1).max(5).describe('Parts of names or e-mails, ORed'),
    limit: z.int().min(1).max(100).default(20).describe('Most repositories'),
    minCommits: z.int().min(1).default(1).describe('Fewest commits in a repository'),
  }),
  output: z.object({
    repositories: z.array(contribution),
    limitHit: z.boolean(),
    notes: z.array(z.string()).optional(),
  }),
  async run(request, { history }, { caller, signal }) {
    const { contributions, isLimited, notes } = await history.contributors(caller, request, signal);
    const repositories = contributions.map(({ repo, commits, latest }) => ({
      repoName: repo,
      repoCommitCount: commits,
      repoMostRecentCommitDate: latest,
    }));
    return { repositories, limitHit: isLimited, ...(notes.length > 0 && { notes: [...notes] }) };
  },
  toText: ({ repositories, limitHit, notes = [] }) => {
    const found =
      repositories.length === 0 ? ['No repositories with commits of these authors.'] : repositories.map(toLine);
    const rest = `[only the first ${repositories.length}; raise limit or minCommits]`;
    return [...found, ...noteLines(notes), ...(limitHit ? [rest] : [])].join('\n');
  },
});

export default definePlugin({ name: 'tool-get-contributor-repos', tools: [getContributorRepos] });

const toLine = ({ repoName, repoCommitCount, repoMostRecentCommitDate }: z.output<typeof contribution>): string =>
  `${repoName}: ${repoCommitCount} ${repoCommitCount === 1 ? 'commit' : 'commits'}, last ${repoMostRecentCommitDate.slice(0, 10)}`;
