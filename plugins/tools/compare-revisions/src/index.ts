import { Repositories, repo } from '@sextant/contracts';
import { definePlugin, definePrompt, defineTool } from '@sextant/core';
import { z } from 'zod';
import { decodeCursor, encodeCursor } from './cursor.ts';
import type { Place } from './cursor.ts';
import { firstShown, listOf, toText } from './comparison-text.ts';
import { output, toWire } from './wire.ts';

/** More than a list has room for. */
const mostListed = 1000;

const side = (what: string): z.ZodString => z.string().min(1).max(1000).describe(what);

const placeAfter = ({ hasNote, ...place }: Place): Omit<Place, 'hasNote'> & { readonly note?: string } => ({
  ...place,
  ...(hasNote && { note: 'What the first page says of the history holds for this page too.' }),
});

export const compareRevisions = defineTool({
  name: 'compare_revisions',
  title: 'Compare two revisions',
  description:
    'What head changed since it left base (base...head, as a pull request shows it): the files, then their diffs.',
  guidance: { history: 'compare_revisions, for what one branch, tag or commit has over another.' },
  endpoints: [],
  activity: 'history',
  needs: { repositories: Repositories },
  input: z.object({
    repo,
    base: side('Older side: branch, tag, commit or main~5'),
    head: side('Newer side'),
    first: z.int().min(1).max(100).default(50).describe('Files on a page'),
    after: z.string().max(1000).describe('Last endCursor').optional(),
  }),
  output,
  async run({ repo: name, base, head, first, after }, { repositories }, { caller, signal, noteRepository }) {
    const repository = await repositories.open(caller, name);
    noteRepository?.(repository.info.name);
    const asked = { repo: name, base, head };
    const { offset, note, ...commits } =
      after === undefined
        ? { offset: 0, ...(await repository.mergeBase(base, head, signal)) }
        : placeAfter(decodeCursor(after, asked));
    const page = await repository.compare({ ...commits, offset, limit: first }, signal);
    const isAll = page.files.length === page.totalFiles;
    // Where lines are counted page by page, a list would tell no more than the page does.
    const wantsList = after === undefined && !page.atLeast.includes('lines');
    const all =
      isAll || !wantsList
        ? page
        : await repository.compare({ ...commits, offset, limit: mostListed, filesOnly: true }, signal);
    const listed = wantsList ? listOf(all.files.map(toWire)) : [];
    const files = firstShown(page.files.map(toWire), listed);
    const shown = offset + files.length;
    const hasNextPage = shown < page.totalFiles;
    const notes = [...(note === undefined ? [] : [note]), ...page.notes];
    return {
      repository: name,
      base: page.base,
      head: page.head,
      totalAdded: page.totalAdded,
      totalDeleted: page.totalDeleted,
      totalModified: page.totalModified,
      ...(page.atLeast.length > 0 && { atLeast: [...page.atLeast] }),
      ...(hasNextPage && listed.length > 0 && { allFiles: listed }),
      files,
      hasNextPage,
      ...(hasNextPage && {
        endCursor: encodeCursor({ ...commits, offset: shown, hasNote: note !== undefined }, asked),
      }),
      ...(notes.length > 0 && { notes }),
    };
  },
  rest: 'ask for fewer files at once with first',
  toText,
  filesOf: ({ files }) => files.map(({ path }) => path),
});

export const reviewChanges = definePrompt({
  name: 'review_changes',
  title: 'Review changes',
  description: 'Reviews what a branch, tag or commit has over another.',
  input: z.object({
    repo: z.string().min(1).max(1000).describe('Repository name'),
    head: z.string().min(1).max(1000).describe('What to review: branch, tag or commit'),
    base: z.string().min(1).max(1000).describe('What it is compared with; default: the default branch').optional(),
  }),
  withTools: ['compare_revisions', 'read_file', 'find_references'],
  text: ({ repo, head, base = 'HEAD' }) =>
    `In the repository ${repo}, review what ${head} changes over ${base}.\n\nRead all pages of compare_revisions. Where a diff is not enough, read the file with read_file at revision ${head}; find_references shows who uses what was changed. Report defects first, each with its path, line and consequence; then what is unclear; then a summary in two sentences. Report nothing that you did not see.`,
});

export default definePlugin({ name: 'tool-compare-revisions', tools: [compareRevisions], prompts: [reviewChanges] });
