import { fileBlock, searchAnswer } from '@sextant/contracts';
import { z } from 'zod';

/** Files as in every search; commits (`rev` is the hash, `file` is empty) and hunks of diffs besides. */
export const keywordAnswer = searchAnswer.extend({
  blocks: z.array(
    fileBlock.extend({
      type: z.string().describe('file, repo, symbol, commit or diff'),
      author: z.string().optional(),
      date: z.string().optional(),
      title: z.string().optional(),
    }),
  ),
});
export type KeywordAnswer = z.output<typeof keywordAnswer>;
export type KeywordBlock = KeywordAnswer['blocks'][number];
