import { availableParallelism } from 'node:os';
import { z } from 'zod';

const mebibyte = 1024 * 1024;

export const config = z.object({
  branchesPerRepository: z
    .int()
    .min(0)
    .max(64)
    .default(8)
    .describe('Most branches of a repository that are indexed besides its default branch'),
  maxFileBytes: z
    .int()
    .min(1024)
    .max(32 * mebibyte)
    .default(16 * mebibyte)
    .describe('Larger files are found by name only'),
  maxTextBytes: z
    .int()
    .min(mebibyte)
    .max(1024 * 1024 * mebibyte)
    .default(16 * 1024 * mebibyte)
    .describe('Most text of one repository that is indexed at once; a repository with more is not indexed'),
  memoryBytes: z
    .int()
    .min(32 * mebibyte)
    .max(4000 * mebibyte)
    .default(2048 * mebibyte)
    .describe(
      'Memory for indexes, of which one of several repositories has at most three quarters, and for content while there is room; other content is read from disk',
    ),
  removeAfterSeconds: z
    .number()
    .min(0)
    .max(86_400)
    .default(600)
    .describe(
      'Time after which the index of a repository that is served no more is removed; a folder may be away for a while',
    ),
  threads: z
    .int()
    .min(1)
    .max(64)
    .default(Math.min(8, availableParallelism()))
    .describe('Threads that answer queries; by default one for each processor, at most 8'),
  waitSeconds: z
    .number()
    .min(0)
    .max(50)
    .default(30)
    .describe('Longest time that a search waits for what is not indexed yet; then it goes on without, and says so'),
});

export type SearchIndexConfig = z.output<typeof config>;
