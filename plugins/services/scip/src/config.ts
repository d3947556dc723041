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
  maxOccurrences: z.int().min(1).max(10_000_000).default(500_000).describe('Most names that an index has of one file'),
  maxDocuments: z.int().min(1).max(8_000_000).default(1_000_000).describe('Most files of one index'),
  ingestSeconds: z.number().min(1).max(86_400).default(600).describe('Longest time that storing one upload takes'),
  uploadsAtOnce: z
    .int()
    .min(1)
    .max(100)
    .default(4)
    .describe('Uploads that are received at once; another one is told to come again'),
  indexesPerRepository: z
    .int()
    .min(1)
    .max(1000)
    .default(5)
    .describe('Commits of which indexes are kept, of each indexer'),
  indexersPerRepository: z
    .int()
    .min(1)
    .max(1000)
    .default(50)
    .describe('Indexers and folders of which indexes are kept, of each repository; those of the newest uploads'),
  bytesPerRepository: z
    .int()
    .min(1)
    .default(4 * gibibyte)
    .describe('Bytes on disk of the indexes of one repository; the newest is kept in any case'),
  cachedBytes: z
    .int()
    .min(1)
    .max(gibibyte)
    .default(268_435_456)
    .describe('Bytes of open indexes kept in memory; none is taken that needs more than that alone'),
});
