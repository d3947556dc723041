import { z } from 'zod';

/** How much history of a repository is cloned, as the configuration says it. */
export const cloneDepth = z
  .int()
  .min(1)
  .max(1_000_000)
  .describe(
    'Commits of each branch and tag that are cloned at least, counted from its tip: older history is not here. Default: all of it',
  );
