import { z } from 'zod';

export const config = z.object({
  maxCalls: z.int().min(5).max(1000).default(120).describe('Searches and reads for one task'),
  maxSeconds: z.number().min(1).max(55).default(20).describe('Time for one task; then it answers with what it has'),
  threads: z.int().min(1).max(64).default(1).describe('Threads that compare files with tasks'),
  stepMs: z
    .int()
    .min(100)
    .max(60_000)
    .default(30_000)
    .describe('Milliseconds after which reading a task, or comparing it with files, is given up'),
  pastCommits: z
    .int()
    .min(0)
    .max(100_000)
    .default(5000)
    .describe('Commits before a revision whose messages are compared with a task'),
  cachedCommits: z.int().min(100).max(10_000_000).default(60_000).describe('Commits that are kept in memory'),
  cachedPaths: z
    .int()
    .min(1000)
    .max(100_000_000)
    .default(300_000)
    .describe(
      'Paths of trees that are kept in memory; of a commit with more only the files that searches find are compared',
    ),
  cachedCharacters: z
    .int()
    .min(1_000_000)
    .max(10_000_000_000)
    .default(64_000_000)
    .describe('Characters of texts that are kept in memory'),
});
