import { History, historyFields, historyTerms, limitForCount, printQuery, noteLines } from '@sextant/contracts';
import type { CommitFiles, CommitRequest } from '@sextant/contracts';
import { cut, definePlugin, definePrompt, defineTool, oneLine, visible } from '@sextant/core';
import { z } from 'zod';

const mostCommits = 100;

const input = z.object({
  repos: historyTerms('Names, as list_repos shows them, or RE2 on names').min(1),
  messageTerms: historyTerms('Texts in the message, ORed').optional(),
  authors: historyFields.authors,
  contentTerms: historyTerms('Texts in added or removed lines, ORed').optional(),
  files: historyTerms('Changed files, folders or globs (*.ts), ORed').optional(),
  after: historyFields.after,
  before: historyFields.before,
  revisions: historyFields.revisions,
  order: historyFields.order,
  count: z.int().min(1).max(mostCommits).default(50).describe('Most commits'),
  limit: limitForCount(mostCommits),
  useRegex: z.boolean().default(false).describe('Terms and authors are RE2'),
});

const output = z.object({
  query: z.string(),
  totalCount: z.int(),
  atLeast: z.boolean().optional(),
  limitHit: z.boolean(),
  commits: z.array(
    z.object({
      repository: z.string(),
      commit: z.string(),
      author: z.string(),
      date: z.string(),
      authorDate: z.string(),
      title: z.string(),
      message: z.string(),
      files: z.array(z.string()).optional(),
      moreFiles: z.int().optional(),
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
  async run(given, { history }, { caller, signal, noteRepository }) {
    const { query, results, totalCount, isLimited, notes } = await history.commits(caller, requestOf(given), signal);
    for (const { repo } of results) noteRepository?.(repo);
    const most = results.length > fewCommits ? ofMany : ofFew;
    const commits = results.map(({ repo, author, files, ...commit }) => ({
      ...commit,
      repository: repo,
      author: `${author.name} <${author.email}>`,
      message: cut(commit.message, most.message),
      ...(files && shownFiles(files, most.files)),
    }));
    const unread = new Set(results.flatMap(({ repo, files }) => (files ? [] : [repo])));
    const said = [...notes, ...(unread.size > 0 ? [unreadFiles([...unread])] : [])];
    return {
      query: printQuery(query),
      totalCount,
      ...(isLimited && { atLeast: true }),
      limitHit: isLimited,
      commits,
      ...(said.length > 0 && { notes: said }),
    };
  },
  rest: 'lower count, and continue with before (for order oldest: after) as the date of the last commit shown',
  cuts: { of: [['commits']], flags: ['limitHit'] },
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

/** Commits that are shown with their messages and files. Of more, titles are read: a text has a line for each but the first. */
const [fewCommits, firstCommits] = [10, 2];
/** In the structure: characters of a message, and changed files. */
const [ofFew, ofMany] = [
  { message: 2000, files: 20 },
  { message: 200, files: 3 },
];
/** In the text: of the rest of a message, of the line of changed files, and of a title in a list. */
const characters = { body: 600, firstBody: 200, files: 240, title: 54 };
const hashInList = 10;
const list = new Intl.ListFormat('en');

const unreadFiles = (repositories: readonly string[]): string =>
  `Commits without "files" have some that git could not list: ${list.format(repositories)} is damaged or a partial clone.`;

function shownFiles({ paths, total }: CommitFiles, most: number): { files: string[]; moreFiles?: number } {
  const files = paths.slice(0, most);
  return { files, ...(total > files.length && { moreFiles: total - files.length }) };
}

const requestOf = ({ after, before, ...given }: z.output<typeof input>): CommitRequest => ({
  repositories: given.repos,
  messages: given.messageTerms ?? [],
  authors: given.authors ?? [],
  contents: given.contentTerms ?? [],
  paths: given.files ?? [],
  revisions: given.revisions ?? [],
  ...(after !== undefined && { after }),
  ...(before !== undefined && { before }),
  order: given.order,
  count: given.limit ?? given.count,
  isRegex: given.useRegex,
});

type Answer = z.output<typeof output>;

/** The first commits with the beginning of their messages and their files, then a line for each. */
function toText({ commits, totalCount, limitHit, notes = [] }: Answer): string {
  const whole = commits.length > fewCommits ? commits.slice(0, firstCommits) : commits;
  const most = whole.length < commits.length ? characters.firstBody : characters.body;
  const shown = whole.map((commit) => commitText(commit, most));
  const found = commits.length === 0 ? ['No commits.'] : [...shown, ...listOf(commits, whole.length)];
  const rest = `[the first ${commits.length} of at least ${totalCount}; narrow the dates or terms, or raise count]`;
  // Where all that was found is here, a note says what was not searched.
  const isCut = limitHit && (commits.length < totalCount || notes.length === 0);
  return [...found, ...noteLines(notes), ...(isCut ? [rest] : [])].join('\n');
}

function listOf(commits: Answer['commits'], from: number): string[] {
  const listed = commits.slice(from);
  if (listed.length === 0) return [];
  const isOne = new Set(commits.map(({ repository }) => repository)).size === 1;
  const lines = listed.map(({ repository, commit, date, author, title }) => {
    const place = `${isOne ? '' : `${repository} `}${commit.slice(0, hashInList)}`;
    return oneLine(`${place} ${date.slice(0, 10)} ${author.replace(/ <.*$/, '')}: ${cut(title, characters.title)}`);
  });
  return [
    'More, with the day of the commit:',
    ...lines,
    `[messages and files are shown of ${fewCommits} commits at most]`,
  ];
}

function commitText(commit: Answer['commits'][number], mostOfBody: number): string {
  const { repository, author, title, message } = commit;
  const body = visible(cut(message.slice(title.length).trim(), mostOfBody));
  const lines = body === '' ? [] : body.split('\n').map((line) => `    ${line}`.trimEnd());
  const heading = `${repository} ${commit.commit.slice(0, 12)} ${datesOf(commit)} ${author}: ${title}`;
  return [oneLine(heading), ...lines, ...filesOf(commit)].join('\n');
}

/** The day of the author date stands there where it is another. */
function datesOf({ date, authorDate }: Answer['commits'][number]): string {
  const [committed, authored] = [date, authorDate].map((each) => each.slice(0, 10));
  return committed === authored ? `committed ${committed}` : `committed ${committed} authored ${authored}`;
}

/** As many as fit on one line, and how many more there are. */
function filesOf({ files, moreFiles = 0 }: Answer['commits'][number]): string[] {
  if (!files) return ['    files: unknown, git could not list them'];
  if (files.length === 0) return [];
  let left = characters.files;
  const end = files.findIndex((file, index) => (left -= file.length + 2) < 0 && index > 0);
  const shown = end < 0 ? files : files.slice(0, end);
  const more = moreFiles + files.length - shown.length;
  return [oneLine(`    files: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`)];
}
