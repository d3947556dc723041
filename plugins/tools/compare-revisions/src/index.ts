import { Repositories, repo } from '@sextant/contracts';
import { definePlugin, defineTool } from '@sextant/core';
import { z } from 'zod';
import { decodeCursor, encodeCursor } from './cursor.ts';
import { toText } from './comparison-text.ts';
import { output, toWire } from './wire.ts';
import type { ComparisonOutput } from './wire.ts';

/** A page ends with the file whose diff fills so much: an agent pays for each character. */
const charactersOfPage = 100_000;

const side = (what: string): z.ZodString =>
  z.string().min(1).max(1000).describe(`${what}: branch, tag, commit or main~5`);

export const compareRevisions = defineTool({
  name: 'compare_revisions',
  title: 'Compare two revisions',
  description:
    'What head changed since it left base (base...head, as a pull request shows it): files with their diffs, page by page.',
  guidance: 'compare_revisions shows what one branch, tag or commit has over another.',
  endpoints: [],
  needs: { repositories: Repositories },
  input: z.object({
    repo,
    base: side('Older side'),
    head: side('Newer side'),
    first: z.int().min(1).max(100).default(50).describe('Files on a page'),
    after: z.string().max(1000).describe('Cursor: the endCursor of the page before').optional(),
  }),
  output,
  async run({ repo: name, base, head, first, after }, { repositories }, { caller, signal }) {
    const repository = await repositories.open(caller, name);
    const asked = { repo: name, base, head };
    const { offset, ...commits } =
      after === undefined
        ? { offset: 0, ...(await repository.mergeBase(base, head, signal)) }
        : decodeCursor(after, asked);
    const page = await repository.compare({ ...commits, offset, limit: first }, signal);
    const files = firstOf(page.files.map(toWire));
    const shown = offset + files.length;
    const hasNextPage = shown < page.totalFiles;
    return {
      repository: name,
      base: page.base,
      head: page.head,
      totalAdded: page.totalAdded,
      totalDeleted: page.totalDeleted,
      totalModified: page.totalModified,
      files,
      hasNextPage,
      ...(hasNextPage && { endCursor: encodeCursor({ ...commits, offset: shown }, asked) }),
    };
  },
  toText,
  filesOf: ({ files }) => files.map(({ path }) => path),
});

/** The first files, with at most the diff of one beyond the room of a page. */
function firstOf(files: ComparisonOutput['files']): ComparisonOutput['files'] {
  let characters = 0;
  const end = files.findIndex(({ path, hunks }) => {
    characters += path.length + hunks.reduce((sum, { lines }) => sum + lines.length, 0);
    return characters >= charactersOfPage;
  });
  return end < 0 ? files : files.slice(0, end + 1);
}

export default definePlugin({ name: 'tool-compare-revisions', tools: [compareRevisions] });
