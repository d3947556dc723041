import { z } from 'zod';

const megabyte = 1024 * 1024;
const atLeastOne = (fallback: number) => z.int().min(1).default(fallback);

/** Limits of a script, and of all scripts together. */
export const config = z.object({
  threads: atLeastOne(4).describe('Scripts that run at the same time; one user has at most all but one'),
  seconds: z.number().positive().max(50).default(10).describe('Longest time of a script'),
  megabytes: z.int().min(20).max(1024).default(64).describe('Most memory of a script'),
  searches: atLeastOne(100).describe('Most searches of a script'),
  reads: atLeastOne(1000).describe('Most files and folders that a script reads'),
  matchesPerSearch: atLeastOne(20_000).describe('Most matches that one search gives a script'),
  outputBytes: atLeastOne(128 * 1024).describe('Most that a script prints'),
  resultCharacters: atLeastOne(256 * 1024).describe('Most that a script returns, as JSON'),
  fileBytes: atLeastOne(10 * megabyte).describe('Largest file that a script writes'),
  filesPerScript: atLeastOne(20).describe('Most files that a script writes'),
  storedBytesPerUser: atLeastOne(200 * megabyte).describe('Most that the files of one user take together'),
});

export type Limits = z.output<typeof config>;
