import { historyFields, historyTerms } from '@sextant/contracts';
import type { Commit, FoundDiff, History, HistoryFilter, HistoryResult } from '@sextant/contracts';
import { parseArguments, toJsonSchema } from '@sextant/core';
import { z } from 'zod';
import { changedLines, isCut } from './changed-lines.ts';
import { namedIn } from './script-function.ts';
import type { Match, Matches, ScriptFunction } from './script-function.ts';

export interface HistorySearchParts {
  readonly history: History;
  /** Most matches of one search. */
  readonly most: number;
}

const common = {
  ...historyFields,
  count: z.int().min(1).optional(),
  useRegex: z.boolean().default(false),
};
const commitFields = z.strictObject({
  repos: historyTerms('').min(1),
  messageTerms: historyTerms('').optional(),
  contentTerms: historyTerms('').optional(),
  files: historyTerms('').optional(),
  ...common,
});
const diffFields = z.strictObject({
  pattern: z.string().min(1).max(1000),
  repos: historyTerms('').min(1),
  added: z.boolean().default(false),
  removed: z.boolean().default(false),
  ...common,
});
const commitSchema = toJsonSchema(commitFields, 'input');
const diffSchema = toJsonSchema(diffFields, 'input');

/** `search.commits`: one match for each commit. */
export const commitSearch = ({ history, most }: HistorySearchParts): ScriptFunction => ({
  tool: 'commit_search',
  async run(argument, { caller, signal }) {
    const given = parseArguments(commitFields, commitSchema, namedIn(argument));
    const request = {
      ...filterIn(given),
      repositories: given.repos,
      messages: given.messageTerms ?? [],
      contents: given.contentTerms ?? [],
      paths: given.files ?? [],
      count: Math.min(given.count ?? most, most),
    };
    const found = await history.commits(caller, request, signal);
    return answerOf(found, ({ files, ...commit }) => [
      {
        ...whoAndWhen(commit),
        path: '',
        line: 0,
        text: commit.title,
        message: commit.message,
        ...(files && { files: files.paths, fileCount: files.total }),
      },
    ]);
  },
});

/** `search.diffs`: one match for each changed line with the pattern. */
export const diffSearch = ({ history, most }: HistorySearchParts): ScriptFunction => ({
  tool: 'diff_search',
  async run(argument, { caller, signal }) {
    const given = parseArguments(diffFields, diffSchema, namedIn(argument));
    const { repos: repositories, pattern, added, removed } = given;
    const sides = [
      ...(added || !removed ? ['added' as const] : []),
      ...(removed || !added ? ['removed' as const] : []),
    ];
    const count = Math.min(given.count ?? most, most);
    const request = { ...filterIn(given), repositories, pattern, sides, count, isWhole: true };
    const found = await history.diffs(caller, request, signal);
    return answerOf({ ...found, isLimited: found.isLimited || found.results.some(isCut) }, linesOf);
  },
});

const linesOf = (diff: FoundDiff): Match[] =>
  changedLines(diff).map((line) => ({ ...whoAndWhen(diff), path: diff.path, title: diff.title, ...line }));

type Given = Pick<z.output<typeof commitFields>, 'authors' | 'after' | 'before' | 'revisions' | 'order' | 'useRegex'>;

const filterIn = ({ authors = [], revisions = [], after, before, order, useRegex }: Given): HistoryFilter => ({
  authors,
  revisions,
  order,
  isRegex: useRegex,
  ...(after !== undefined && { after }),
  ...(before !== undefined && { before }),
});

function answerOf<T>(
  { results, totalCount, isLimited, notes }: HistoryResult<T>,
  toMatches: (result: T) => Match[],
): Matches {
  const matches = results.flatMap(toMatches);
  const matchCount = isLimited ? Math.max(totalCount, matches.length) : matches.length;
  return { matches, stats: { matchCount, limitHit: isLimited }, ...(notes.length > 0 && { notes }) };
}

const whoAndWhen = ({
  repo,
  commit,
  author,
  date,
  authorDate,
}: Commit): { repo: string; rev: string; author: string; date: string; authorDate: string } => ({
  repo,
  rev: commit,
  author: `${author.name} <${author.email}>`,
  date,
  authorDate,
});
