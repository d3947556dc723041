import { Repositories } from '@sextant/contracts';
import { definePlugin, defineReport } from '@sextant/core';
import { z } from 'zod';

/** GET /api/reports/branch-count as CSV, or as JSON with `format=json`. */
export const branchCount = defineReport({
  name: 'branch-count',
  path: '/api/reports/branch-count',
  query: z.object({ atLeast: z.coerce.number().int().min(0).default(0) }),
  needs: { repositories: Repositories },
  columns: () => ['repository', 'default branch', 'branches'],
  // Rows are given as they are found: a report of any length is never held in memory.
  async *rows({ atLeast }, { repositories }, { caller, signal }) {
    for (const { name, defaultBranch, clone } of await repositories.list(caller)) {
      if (clone && clone.state !== 'ready') continue;
      const repository = await repositories.open(caller, name);
      const { refs } = await repository.listRefs({ types: ['branch'], limit: 10_000 }, signal);
      if (refs.length >= atLeast) yield [[name, defaultBranch, refs.length]];
    }
  },
});

export default definePlugin({ name: 'report-branch-count', reports: [branchCount] });
