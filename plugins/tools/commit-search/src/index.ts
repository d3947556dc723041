import { History, historyFields, historyTerms, limitForCount, printQuery, noteLines } from '@sextant/contracts';
import type { CommitRequest } from '@sextant/contracts';
import { definePlugin, definePrompt, defineTool, oneLine, visible } from '@sextant/core';
import { z } from 'zod';

const mostCommits = 100;

const input = z.object({
  repos: historyTerms('Names, as list_repos shows them').min(1),
  messageTerms: historyTerms('Texts in the message, ORed').optional(),
  authors: historyFields.authors,
  contentTerms: historyTerms('Texts in added or removed lines, ORed').optional(),
  files: historyTerms('Changed files, folders or globs (*.ts), ORed').optional(),
  after: historyFields.after,
  before: historyFields.before,
  revisions: historyFields.revisions,
  count: z.int().min(1).max(mostCommits).default(50).describe('Most commits'),
  limit: limitForCount(mostCommits),
  useRegex: z.boolean().default(false).describe('Terms and authors are RE2'),
});

const output = z.object({
  query: z.string(),
  totalCount: z.int(),
  limitHit: z.boolean(),
  commits: z.array(
    z.object({
      repository: z.string(),
      commit: z.string(),
      author: z.string(),
      date: z.string(),
      title: z.string(),
      message: z.string(),
    }),
  ),
  notes: z.array(z.string()).optional(),
});

export const commitSearch = defineTool({
  name: 'commit_search',
  title: 'Search commits',
  description:
    'Finds commits by message, author, date, changed files and changed lines, newest first. Kinds of filter are ANDed; none: all commits.',
  guidance: { history: 'commit_search, for who changed what, when and why.' },
  endpoints: ['default'],
  activity: 'history',
  needs: { history: History },
  input,
  output,
  async run(given, { history }, { caller, signal }) {
    const { query, results, totalCount, isLimited, notes } = await history.commits(caller, requestOf(given), signal);
    const commits = results.map(({ repo, author, ...commit }) => ({
      ...commit,
      repository: repo,
      author: `${author.name} <${author.email}>`,
      message: clip(commit.message),
    }));
    return {
      query: printQuery(query),
      totalCount,
      limitHit: isLimited,
      commits,
      ...(notes.length > 0 && { notes: [...notes] }),
    };
  },
  rest: 'lower count, and continue with before: the date of the last commit shown',
  toText,
});

export const explainChange = definePrompt({
  name: 'explain_change',
  title: 'Explain a change',
  description: 'Explains when and why something was changed, from the commits that did it.',
  input: z.object({
    repo: z.string().min(1).max(1000).describe('Repository name'),
    change: z.string().min(1).max(10_000).describe('A commit, or what was changed: a name, a file, a behaviour'),
  }),
  withTools: ['commit_search', 'diff_search', 'compare_revisions'],
  text: ({ repo, change }) =>
    `In the repository ${repo}, explain this change: ${change}\n\nIf it names a commit, compare_revisions with base COMMIT~1 and head COMMIT shows its diff. Otherwise find its commits with commit_search by message or file, or with diff_search by a changed line. Tell what was changed, when, by whom and, as far as messages say so, why. Name each commit by its hash.`,
});

export default definePlugin({ name: 'tool-commit-search', tools: [commitSearch], prompts: [explainChange] });

/** An answer of 100 commits fits the size of a result whatever people write. */
const mostCharacters = 4000;

const clip = (message: string): string =>
  message.length > mostCharacters ? `${message.slice(0, mostCharacters)}…` : message;

const requestOf = ({ after, before, ...given }: z.output<typeof input>): CommitRequest => ({
  repositories: given.repos,
  messages: given.messageTerms ?? [],
  authors: given.authors ?? [],
  contents: given.contentTerms ?? [],
  paths: given.files ?? [],
  revisions: given.revisions ?? [],
  ...(after !== undefined && { after }),
  ...(before !== undefined && { before }),
  count: given.limit ?? given.count,
  isRegex: given.useRegex,
});

type Answer = z.output<typeof output>;

/** A line per commit, the rest of its message below. */
function toText({ commits, totalCount, limitHit, notes = [] }: Answer): string {
  const found = commits.length === 0 ? ['No commits.'] : commits.map(commitText);
  const rest = `[the newest ${commits.length} of ${totalCount} or more; narrow the dates or terms, or raise count]`;
  return [...found, ...noteLines(notes), ...(limitHit ? [rest] : [])].join('\n');
}

function commitText({ repository, commit, author, date, title, message }: Answer['commits'][number]): string {
  const body = visible(message.slice(title.length)).trim();
  const lines = body === '' ? [] : body.split('\n').map((line) => `    ${line}`.trimEnd());
  return [oneLine(`${repository} ${commit.slice(0, 12)} ${date.slice(0, 10)} ${author}: ${title}`), ...lines].join(
    '\n',
  );
}
