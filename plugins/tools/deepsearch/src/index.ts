import { Conversations, isFinal, longestQuestion, questionStatuses } from '@sextant/contracts';
import type { Conversation } from '@sextant/contracts';
import { definePlugin, defineTool, isSextantError, joinSignals, timeoutSignal } from '@sextant/core';
import type { Call } from '@sextant/core';
import { z } from 'zod';

/** Below the minute that clients wait for an answer. */
const waitMs = 50_000;

const output = z.object({
  identifier: z.string(),
  link: z.string(),
  status: z.enum(questionStatuses),
  answer: z.string().optional(),
});

export const deepsearch = defineTool({
  name: 'deepsearch',
  title: 'Deep search',
  description:
    'Researches a question over many files and repositories and answers with sources. Waits up to 50 s; then poll deepsearch_read with the identifier.',
  guidance: { find: 'deepsearch, for a question whose answer lies in many files.' },
  endpoints: ['deepsearch'],
  activity: 'research',
  needs: { conversations: Conversations },
  input: z.object({
    question: z
      .string()
      .min(1)
      .max(longestQuestion)
      .describe('What to find out; names of repositories, files and symbols help'),
  }),
  output,
  async run({ question }, { conversations }, call) {
    const asked = await conversations.ask(call, question);
    return resultOf(await waitFor(asked, conversations, call));
  },
  rest: 'people can read all of it at the link',
  cuts: { of: [['answer']] },
  toText: ({ identifier, link, status, answer }) =>
    answer === undefined
      ? `The question is ${status}. Poll deepsearch_read with identifier ${identifier}; people can open ${link}`
      : `${answer}\n\n[conversation ${identifier}: ${link}]`,
});

export default definePlugin({ name: 'tool-deepsearch', tools: [deepsearch] });

/** The conversation when it is finished, or as it is when the time is up. Who cancels the call wants no answer any more. */
async function waitFor(asked: Conversation, conversations: Conversations, call: Call): Promise<Conversation> {
  const { caller, signal, reportProgress } = call;
  const bounded = joinSignals(signal, timeoutSignal(waitMs));
  let seen = asked;
  try {
    while (!isFinal(seen.status)) {
      seen = await conversations.next(caller, seen, bounded);
      const steps = seen.turns.at(-1)?.steps ?? [];
      reportProgress({ progress: steps.length, message: steps.at(-1) ?? seen.status });
    }
  } catch (error) {
    if (isSextantError(signal.reason) && signal.reason.code === 'canceled')
      await conversations.cancel(caller, seen.identifier);
    if (!bounded.aborted || signal.aborted) throw error;
  }
  return seen;
}

function resultOf({ identifier, link, status, turns }: Conversation): z.input<typeof output> {
  const { answer, error } = turns.at(-1) ?? {};
  const text = status === 'failed' ? `The question failed: ${error}` : answer;
  return { identifier, link, status, ...(text !== undefined && { answer: text }) };
}
