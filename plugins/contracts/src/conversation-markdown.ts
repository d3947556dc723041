import { oneLine } from '@sextant/core';
import type { Conversation, ConversationTurn } from './conversations.ts';

/** A conversation as one markdown text, for readers of text and for `.md`. */
export const conversationMarkdown = ({ turns }: Pick<Conversation, 'turns'>): string =>
  turns.map((turn) => [quoted(turn.question), stateOf(turn)].join('\n\n')).join('\n\n');

/** A question is what its author typed: quoted, so that it cannot pass for an answer. */
const quoted = (question: string): string =>
  question
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');

function stateOf({ status, answer, error, steps }: ConversationTurn): string {
  switch (status) {
    case 'completed':
      return answer ?? '';
    case 'failed':
      return `The question failed: ${error ?? 'the reason is not known'}`;
    case 'canceled':
      return 'The question was canceled.';
    case 'queued':
      return 'The question waits for its turn.';
    case 'processing':
      return ['The question is being worked on.', ...steps.slice(-5).map((step) => `- ${oneLine(step)}`)].join('\n');
  }
}
