import { z } from 'zod';

/** Most values of one list: each of them costs time in every commit. */
const mostValues = 100;

/** A list of values of one kind of condition. */
export const historyTerms = (description: string) =>
  z.array(z.string().min(1).max(1000)).max(mostValues).describe(description);

/** The conditions that both searches of history spell alike. */
export const historyFields = {
  authors: historyTerms('Part of the author’s name or e-mail; one of them is enough').optional(),
  after: z
    .string()
    .max(100)
    .describe('Committed at or after: 2026-01-31, RFC 3339, 2 weeks ago, yesterday, november 1 2019 (UTC)')
    .optional(),
  before: z.string().max(100).describe('Committed at or before; a day means its beginning').optional(),
  revisions: historyTerms(
    'Branches, tags, commits, ^rev to leave out, *refs/heads/* and *!refs/heads/x as globs; default: the default branch',
  ).optional(),
};
