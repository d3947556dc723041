import { History, Links, historyFields, historyTerms, limitForCount, printQuery, noteLines } from '@sextant/contracts';
import type { DiffRequest, DiffSide, FoundDiff } from '@sextant/contracts';
import { cut, definePlugin, defineTool, oneLine } from '@sextant/core';
import { z } from 'zod';

const mostHunks = 50;

const input = z.object({
  pattern: z.string().min(1).max(1000).describe('What an added or removed line has; any case'),
  repos: historyTerms('Names or RE2 on names').min(1),
  added: z.boolean().default(false).describe('Only added lines'),
  removed: z.boolean().default(false).describe('Only removed lines'),
  ...historyFields,
  count: z.int().min(1).max(mostHunks).default(20).describe('Most hunks'),
  limit: limitForCount(mostHunks),
  useRegex: z.boolean().default(false).describe('Pattern and authors are RE2'),
});

const matchRange = z
  .object({ line: z.int(), start: z.int(), end: z.int() })
  .describe('Line of diffHunk from 1, characters from 0');

const output = z.object({
  query: z.string(),
  totalCount: z.int(),
  atLeast: z.boolean().optional(),
  limitHit: z.boolean(),
  results: z.array(
    z.object({
      repository: z.string(),
      commit: z.string(),
      authorName: z.string(),
      date: z.string(),
      authorDate: z.string(),
      message: z.string(),
      path: z.string(),
      diffHunk: z.string(),
      url: z.string(),
      matchRanges: z.array(matchRange),
    }),
  ),
  notes: z.array(z.string()).optional(),
});

export const diffSearch = defineTool({
  name: 'diff_search',
  title: 'Search added and removed lines',
  description: 'Finds when lines were added or removed: hunks of commits in which such a line has a text or pattern.',
  guidance: { history: 'diff_search, for when a line came or went.' },
  endpoints: ['default'],
  activity: 'history',
  needs: { history: History, links: Links },
  input,
  output,
  async run(given, { history, links }, { caller, signal, noteRepository }) {
    const { query, results, totalCount, isLimited, notes } = await history.diffs(caller, requestOf(given), signal);
    for (const { repo } of results) noteRepository?.(repo);
    const isMany = results.length > fewHunks;
    const hunks = results.map((found) => ({
      repository: found.repo,
      commit: found.commit,
      authorName: found.author.name,
      date: found.date,
      authorDate: found.authorDate,
      message: cut(found.message, isMany ? charactersOf.manyMessages : charactersOf.message),
      path: found.path,
      url: links.commit(found.repo, found.commit),
      ...(isMany ? firstPart(found) : { diffHunk: found.hunk, matchRanges: [...found.matchRanges] }),
    }));
    return {
      query: printQuery(query),
      totalCount,
      ...(isLimited && { atLeast: true }),
      limitHit: isLimited,
      results: hunks,
      ...(notes.length > 0 && { notes: [...notes] }),
    };
  },
  rest: 'lower count, and continue with before (for order oldest: after) as the date of the last commit shown',
  cuts: { of: [['results']], flags: ['limitHit'] },
  toText,
  filesOf: ({ results }) => results.map(({ path }) => path),
});

export default definePlugin({ name: 'tool-diff-search', tools: [diffSearch] });

/** Hunks that are shown with the lines around. Of more, a text has the matching lines of all but the first. */
const [fewHunks, firstHunks] = [5, 1];
const charactersOf = { message: 2000, manyMessages: 200, line: 120 };
/** Of one of many hunks: lines in the structure, and matching lines in the text. */
const [linesOfMany, mostLines] = [10, 2];

const requestOf = ({ after, before, ...given }: z.output<typeof input>): DiffRequest => ({
  repositories: given.repos,
  pattern: given.pattern,
  sides: sidesOf(given),
  authors: given.authors ?? [],
  revisions: given.revisions ?? [],
  ...(after !== undefined && { after }),
  ...(before !== undefined && { before }),
  order: given.order,
  count: given.limit ?? given.count,
  isRegex: given.useRegex,
});

/** Neither and both mean the same: both sides. */
function sidesOf({ added, removed }: { added: boolean; removed: boolean }): readonly DiffSide[] {
  if (added === removed) return ['added', 'removed'];
  return added ? ['added'] : ['removed'];
}

type Answer = z.output<typeof output>;

/** A heading per commit, below it the files with their hunks. */
function toText({ results, totalCount, limitHit, notes = [] }: Answer): string {
  const found = results.length === 0 ? ['No changed lines.'] : results.map(resultText);
  const shorter =
    results.length > fewHunks ? [`[hunks are shown with the lines around where count is ${fewHunks} or less]`] : [];
  const rest = `[the first ${results.length} of at least ${totalCount} hunks; narrow the dates, authors or pattern, or raise count]`;
  // Where all that was found is here, a note says what was not searched.
  const isCut = limitHit && (results.length < totalCount || notes.length === 0);
  return [...found, ...shorter, ...noteLines(notes), ...(isCut ? [rest] : [])].join('\n');
}

function resultText(result: Answer['results'][number], index: number, all: Answer['results']): string {
  const { repository, commit, authorName, date, authorDate, message, path } = result;
  const before = all[index - 1];
  const isSame = before?.commit === commit && before.repository === repository;
  const title = message.split('\n', 1)[0] ?? '';
  const [committed, authored] = [date, authorDate].map((each) => each.slice(0, 10));
  const dates = `committed ${committed}${committed === authored ? '' : ` authored ${authored}`}`;
  const heading = `# ${repository} ${commit.slice(0, 12)} ${dates} ${authorName}: ${title}`;
  const isWhole = all.length <= fewHunks || index < firstHunks;
  const lines = isWhole ? shortHunk(result) : matchingLines(result);
  const isSameFile = !isWhole && isSame && before.path === path;
  const headings = [...(isSame ? [] : [heading]), ...(isSameFile ? [] : [`## ${path}`])];
  return [...headings.map(oneLine), lines].join('\n');
}

/** Lines of a hunk that are shown whole, and around each match of a longer one. */
const [wholeHunk, contextLines, mostMatches] = [20, 3, 5];

/** The lines around the first matches, under the line with `@@`; the structured answer has the hunk as it is. */
function shortHunk({ diffHunk, matchRanges }: Answer['results'][number]): string {
  const lines = diffHunk.split('\n');
  const matches = [...new Set(matchRanges.map(({ line }) => line))].slice(0, mostMatches);
  if (lines.length <= wholeHunk || matches.length === 0) return diffHunk;
  const isShown = (line: number): boolean =>
    line === 1 || matches.some((match) => Math.abs(match - line) <= contextLines);
  return lines.flatMap((text, index) => (isShown(index + 1) ? [text] : isShown(index) ? ['…'] : [])).join('\n');
}

/** The first lines that match, without those around. */
function matchingLines({ diffHunk, matchRanges }: Answer['results'][number]): string {
  const lines = diffHunk.split('\n');
  const matches = [...new Set(matchRanges.map(({ line }) => line))];
  const shown = matches.slice(0, mostLines).map((line) => cut(lines[line - 1] ?? '', charactersOf.line));
  return [...shown, ...(matches.length > mostLines || lines.at(-1) === left ? [left] : [])].join('\n');
}

/** For lines of a hunk that are left out. */
const left = '…';

/** The line with `@@`, and the lines from a little before the first match on. */
function firstPart({ hunk, matchRanges }: FoundDiff): Pick<Answer['results'][number], 'diffHunk' | 'matchRanges'> {
  const [heading = '', ...lines] = hunk.split('\n');
  if (lines.length < linesOfMany) return { diffHunk: hunk, matchRanges: [...matchRanges] };
  // Lines of the hunk count from 1, with the one that has `@@`.
  const first = Math.max(2, Math.min(...matchRanges.map(({ line }) => line)) - contextLines);
  const part = lines.slice(first - 2, first - 2 + linesOfMany);
  const before = first > 2 ? [left] : [];
  const after = first - 2 + part.length < lines.length ? [left] : [];
  const shift = first - 2 - before.length;
  return {
    diffHunk: [heading, ...before, ...part, ...after].join('\n'),
    matchRanges: matchRanges
      .filter(({ line }) => first <= line && line < first + part.length)
      .map((range) => ({ ...range, line: range.line - shift })),
  };
}
