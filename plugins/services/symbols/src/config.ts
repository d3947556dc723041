import { z } from 'zod';

export const config = z.object({
  threads: z.int().min(1).max(64).default(1).describe('Threads that read files ahead; one more parses for callers'),
  parseMs: z.int().min(10).max(60_000).default(5000).describe('Milliseconds after which a file is given up'),
  answerMs: z
    .int()
    .min(100)
    .max(60_000)
    .default(10_000)
    .describe('Milliseconds after which a search for names or uses answers with what it has found'),
  disabledLanguages: z.array(z.string()).default([]).describe('Languages that are not parsed, by name'),
  cachedFiles: z.int().min(10).max(1_000_000).default(5000).describe('Parsed files kept in memory'),
  storedBytes: z
    .int()
    .min(0)
    .default(4 * 2 ** 30)
    .describe('Most bytes of what is known of files on disk'),
  cachedPaths: z.int().min(1000).max(10_000_000).default(500_000).describe('Paths of trees kept in memory'),
});
