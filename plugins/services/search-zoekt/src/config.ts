import { isAbsolute } from 'node:path';
import { z } from 'zod';

const mebibyte = 1 << 20;

export const config = z.strictObject({
  programs: z.string().refine(isAbsolute, 'an absolute path').describe('Folder of zoekt-index and zoekt-webserver'),
  servers: z
    .int()
    .min(1)
    .max(64)
    .default(1)
    .describe('Processes of zoekt-webserver, each with a part of the repositories'),
  candidates: z
    .int()
    .min(20)
    .max(10_000)
    .default(200)
    .describe(
      'Best files by zoekt whose text is matched and rated, twice as many for several words; count:all matches every file',
    ),
  seconds: z.number().min(0.1).max(60).default(2).describe('Longest time that a search waits for a server'),
  indexSeconds: z.int().min(10).max(86_400).default(3600).describe('Longest time of indexing a repository'),
  maxFileBytes: z
    .int()
    .min(1024)
    .max(32 * mebibyte)
    .default(16 * mebibyte)
    .describe('Larger files are found by name only'),
  unindexedBytes: z
    .int()
    .min(mebibyte)
    .max(16_384 * mebibyte)
    .default(512 * mebibyte)
    .describe('Most text that a search reads of a commit which zoekt has not indexed'),
  waitSeconds: z
    .number()
    .min(0)
    .max(50)
    .default(30)
    .describe('Longest time that a search waits for a repository that is not indexed yet'),
});

export type SearchZoektConfig = z.output<typeof config>;
