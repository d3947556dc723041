import { z } from 'zod';

export const config = z.object({
  concurrent: z.int().min(1).max(64).default(2).describe('Questions that are worked on at the same time'),
  waitingPerUser: z.int().min(1).max(1000).default(10).describe('Unfinished questions that one user may have'),
  maxSeconds: z.number().min(1).max(3600).default(300).describe('Longest time that work on one question may take'),
  credits: z.int().min(0).max(1_000_000).default(1).describe('Credits that one question costs'),
});

export type ConversationsConfig = z.output<typeof config>;
