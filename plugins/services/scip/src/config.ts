import { z } from 'zod';

const gibibyte = 2 ** 30;

export const config = z.object({
  maxBytes: z
    .int()
    .min(1)
    .max(64 * gibibyte)
    .default(gibibyte)
    .describe('Most bytes of one index, unpacked'),
  maxDocumentBytes: z.int().min(1).max(gibibyte).default(67_108_864).describe('Most bytes of what it says of one file'),
  indexesPerRepository: z
    .int()
    .min(1)
    .max(1000)
    .default(5)
    .describe('Commits of which indexes are kept, of each indexer'),
  cachedBytes: z.int().min(1).max(gibibyte).default(268_435_456).describe('Bytes of open indexes kept in memory'),
});
