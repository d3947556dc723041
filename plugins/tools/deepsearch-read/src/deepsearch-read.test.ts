import type { Conversation, ConversationTurn } from '@sextant/contracts';
import { runTool } from '@sextant/core/testing';
import { expect, test } from 'vitest';
import { deepsearchRead } from './index.ts';

const source = { repo: 'shop', path: 'cart.ts', commit: 'c'.repeat(40), startLine: 1, endLine: 2 };
const turn = (more: Partial<ConversationTurn>): ConversationTurn => ({
  question: 'Where\nis it?',
  status: 'completed',
  askedAt: '',
  sources: [],
  withheldSources: 0,
  steps: [],
  ...more,
});

const read = (turns: ConversationTurn[]) => {
  const conversation: Partial<Conversation> = {
    title: 'Where',
    status: 'processing',
    link: 'http://x/deepsearch/t',
    turns,
  };
  const services = {
    conversations: { read: async () => conversation },
    links: { file: ({ path, startLine }: { path: string; startLine: number }) => `http://x/${path}?L${startLine}` },
  };
  return runTool(deepsearchRead, { input: { identifier: 't' }, services });
};

test('a conversation is one text, each question quoted above its answer, with the sources of all', async () => {
  const { structured, text } = await read([
    turn({ answer: 'There.', sources: [source] }),
    turn({ question: 'And?', status: 'processing', steps: ['read cart.ts'] }),
  ]);
  const markdown = '> Where\n> is it?\n\nThere.\n\n> And?\n\nThe question is being worked on.\n- read cart.ts';
  expect(structured).toEqual({
    status: 'processing',
    title: 'Where',
    markdown,
    sources: [{ ...source, url: 'http://x/cart.ts?L1' }],
    link: 'http://x/deepsearch/t',
  });
  expect(text).toBe(`# Where (processing)\nhttp://x/deepsearch/t\n\n${markdown}`);
});

test.each([
  [{ status: 'failed', error: 'it broke' }, 'The question failed: it broke'],
  [{ status: 'canceled' }, 'The question was canceled.'],
  [{ status: 'queued' }, 'The question waits for its turn.'],
] as const)('a question without an answer says what became of it: %j', async (state, shown) => {
  expect((await read([turn(state)])).structured['markdown']).toBe(`> Where\n> is it?\n\n${shown}`);
});
