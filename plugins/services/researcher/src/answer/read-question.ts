import type { ResearchTurn } from '@sextant/contracts';

/** Earlier questions that still say what "it" is. */
const remembered = 2;

/** A question, with the ones before it as its context. */
export function questionInContext(question: string, history: readonly ResearchTurn[]): string {
  const earlier = history.slice(-remembered).map((turn) => turn.question);
  return [question, ...earlier.toReversed()].join('\n\n');
}
