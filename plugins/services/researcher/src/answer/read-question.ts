import type { ResearchTurn } from '@sextant/contracts';
import { readTask } from '../task/read-task.ts';
import type { ReadTask } from '../task/read-task.ts';

/** Earlier questions that still say what "it" is. */
const remembered = 2;

/** A question by itself, with the ones before it as its context. */
export function readQuestion(question: string, history: readonly ResearchTurn[]): ReadTask {
  const earlier = history.slice(-remembered).map((turn) => turn.question);
  return readTask([question, ...earlier.toReversed()].join('\n\n'));
}
