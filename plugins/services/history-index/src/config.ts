import { z } from 'zod';

export const config = z.object({
  answerSeconds: z
    .number()
    .min(1)
    .max(55)
    .default(40)
    .describe('Longest time of one search; then what was found until then is answered'),
  unreachableDays: z
    .number()
    .min(0)
    .max(3650)
    .default(14)
    .describe('Days for which the index keeps commits that no branch or tag reaches any more; no search finds them'),
  indexBytes: z
    .int()
    .min(1 << 20)
    .default(2 ** 34)
    .describe(
      'Most bytes of changed lines and messages that the index keeps of one repository; for older commits git is asked',
    ),
  repositoriesAtOnce: z.int().min(1).max(64).default(4).describe('Repositories that one search looks at at once'),
});

export type HistoryConfig = z.output<typeof config>;
