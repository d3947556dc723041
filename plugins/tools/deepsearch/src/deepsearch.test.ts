import type { Conversation, Conversations, ConversationTurn } from '@sextant/contracts';
import { SextantError } from '@sextant/core';
import { runTool } from '@sextant/core/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { deepsearch } from './index.ts';

const stage = (
  status: Conversation['status'],
  version: number,
  turn: Partial<ConversationTurn> = {},
): Conversation => ({
  identifier: 'token',
  title: 'q',
  status,
  link: 'http://localhost/deepsearch/token',
  isOwn: true,
  isShared: false,
  createdAt: '2026-01-01T00:00:00.000Z',
  version,
  turns: [{ question: 'q', status, askedAt: '', sources: [], withheldSources: 0, steps: [], ...turn }],
});

/** Conversations that go through stages; after the last one nothing changes any more. */
function staged(first: Conversation, ...later: Conversation[]) {
  const canceled: string[] = [];
  const methods: Partial<Conversations> = {
    ask: async () => first,
    next: async (_caller, { version }, signal) => {
      signal.throwIfAborted();
      const next = later.find((each) => each.version > version);
      return next ?? new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
    cancel: async (_caller, identifier) => {
      canceled.push(identifier);
      return stage('canceled', 99);
    },
  };
  return { services: { conversations: methods }, canceled };
}

test('answers when the question is finished, and tells what is done until then', async () => {
  const { services } = staged(
    stage('queued', 1),
    stage('processing', 2, { steps: ['searched'] }),
    stage('completed', 3, { answer: 'Here.', steps: ['searched', 'read'] }),
  );
  expect(await runTool(deepsearch, { input: { question: 'q' }, services })).toEqual({
    structured: {
      identifier: 'token',
      link: 'http://localhost/deepsearch/token',
      status: 'completed',
      answer: 'Here.',
    },
    text: 'Here.\n\n[conversation token: http://localhost/deepsearch/token]',
    progress: [
      { progress: 1, message: 'searched' },
      { progress: 2, message: 'read' },
    ],
  });
});

test('waits up to 50 s; then it returns the link and says to poll deepsearch_read', async () => {
  const late = new AbortController();
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(late.signal);
  onTestFinished(() => timeout.mockRestore());
  const { services, canceled } = staged(stage('queued', 1), stage('processing', 2));
  const running = runTool(deepsearch, { input: { question: 'q' }, services });
  late.abort(new DOMException('late', 'TimeoutError'));
  const { structured, text } = await running;
  expect(timeout).toHaveBeenCalledWith(50_000);
  expect(structured).not.toHaveProperty('answer');
  expect(text).toMatch(/^The question is \w+\. Poll deepsearch_read with identifier token; people can open http:/);
  expect(canceled).toEqual([]);
});

test('a canceled call cancels the question', async () => {
  const controller = new AbortController();
  const { services, canceled } = staged(stage('queued', 1));
  const running = runTool(deepsearch, { input: { question: 'q' }, services, call: { signal: controller.signal } });
  await new Promise((resolve) => setImmediate(resolve));
  controller.abort();
  await expect(running).rejects.toMatchObject({ code: 'canceled' });
  await expect.poll(() => canceled).toEqual(['token']);
});

test('a question that failed says why', async () => {
  const { services } = staged(stage('failed', 1, { error: 'it took too long' }));
  const { structured } = await runTool(deepsearch, { input: { question: 'q' }, services });
  expect(structured).toMatchObject({ status: 'failed', answer: 'The question failed: it took too long' });
});

test.each(['', 'x'.repeat(20_001)])('an empty or too long question is refused', async (question) => {
  const { services } = staged(stage('queued', 1));
  await expect(runTool(deepsearch, { input: { question }, services })).rejects.toBeInstanceOf(SextantError);
});
