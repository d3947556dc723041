import { noteLines, searchAnswerText } from '@sextant/contracts';
import type { KeywordAnswer } from './answer.ts';
import { historyBlockText } from './history-answer.ts';

/** What a model reads. */
export function toText(answer: KeywordAnswer): string {
  const { blocks, matchCount, limitHit, notes = [] } = answer;
  const isHistory = blocks.some(({ type }) => type === 'commit' || type === 'diff');
  if (!isHistory) return searchAnswerText(answer);
  const left = `[the newest ${blocks.length} of ${matchCount} or more; add author:, after: or before:, or ask for more with count:N]`;
  return [blocks.map(historyBlockText).join('\n'), ...noteLines(notes), ...(limitHit ? [left] : [])].join('\n\n');
}
