import { z } from 'zod';

/** A repository's name, spelled alike by every tool. */
export const repo = z.string().min(1).max(1000).describe('Repository name, as list_repos shows it');

/** A path from the root of a repository. */
export const path = z.string().max(4096).describe('Path from the root of the repository');

/** A revision; validated by the repository. */
export const revision = z
  .string()
  .max(1000)
  .describe('Branch, tag, commit hash or expression such as main~5; default: the default branch')
  .optional();
