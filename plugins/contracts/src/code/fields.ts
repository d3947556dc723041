import { unlisted } from '@sextant/core';
import { z } from 'zod';
import { largestCount } from '../query/filter-values.ts';

/** A repository's name, spelled alike by every tool. */
export const repo = z.string().min(1).max(1000).describe('Name, as list_repos shows it');

/** A path from the root of a repository. A slash before it is that root. */
export const path = z
  .string()
  .max(4096)
  .overwrite((text) => text.replace(/^\//, ''))
  .describe('Path from the root of the repository');

/** A revision; validated by the repository. */
export const revision = z.string().max(1000).describe('Branch, tag or commit; default: the default branch').optional();

/** The name that other tools have for `count`. */
export const limitForCount = (most: number) => unlisted(z.int().min(1).max(most).optional());

/** Each value costs time in every commit. */
const most = { values: 100, characters: 1000 };

/** A list of values of one kind of condition. The bounds are not in the schema that clients see, which is to be small. */
export const historyTerms = (description: string) =>
  z
    .array(z.string())
    .refine(isBounded, `must be at most ${most.values} values of 1 to ${most.characters} characters each`)
    .describe(description);

function isBounded(values: readonly string[]): boolean {
  return values.length <= most.values && values.every(({ length }) => length > 0 && length <= most.characters);
}

/** The conditions that both searches of history spell alike. */
export const historyFields = {
  authors: historyTerms('Parts of names or e-mails, ORed').optional(),
  after: z.string().describe('As 2026-01-31, RFC 3339 or 2 weeks ago; UTC').optional(),
  before: z.string().describe('Like after').optional(),
  revisions: historyTerms('Branches, tags, commits, v1..v2, ^rev, globs feature/*').optional(),
  order: z.enum(['newest', 'oldest']).default('newest').describe('Oldest: when it began'),
};

/** What the search tools take. `limit` stands for `count:` in the query, `repo` for the name of a repository there. */
export const searchFields = (description: string) => ({
  query: z.string().min(1).max(8192).describe(description),
  limit: limitForCount(largestCount),
  repo: unlisted(repo.optional()),
});
