import { Database } from '@sextant/contracts';
import { temporaryFolder } from '@sextant/contracts/testing';
import { startPlugins } from '@sextant/core/testing';
import { testDatabase } from '@sextant/service-postgres/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ConversationStore } from './conversation-store.ts';
import { migrations } from './tables.ts';
import type { ConversationTables } from './tables.ts';
import { WorkQueue } from './work-queue.ts';

const dayMs = 24 * 3600 * 1000;

/** One question, and what each of several processes sees as the queue. */
async function queues(): Promise<() => WorkQueue> {
  const folder = temporaryFolder();
  const started = await startPlugins(folder.path, [[testDatabase]]);
  onTestFinished(async () => {
    vi.restoreAllMocks();
    await started[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });
  const { database } = started.services.resolve({ database: Database });
  const db = await database.open<ConversationTables>({ name: 'conversation', migrations });
  await new ConversationStore(db).add({ question: 'why?', token: 't', ownerId: 1, title: 'why', scope: [] });
  return () => new WorkQueue(db);
}

/** The clock is set so much ahead, or right again. */
function setClock(aheadMs: number): void {
  vi.restoreAllMocks();
  const now = Date.now.bind(Date);
  if (aheadMs !== 0) vi.spyOn(Date, 'now').mockImplementation(() => now() + aheadMs);
}

test('a question whose process died is taken up again, also when its clock was a day ahead', async () => {
  const queueOf = await queues();
  setClock(dayMs);
  expect(await queueOf().take()).toMatchObject({ question: 'why?' });
  expect(await queueOf().take()).toBeUndefined();
  setClock(0);
  expect(await queueOf().take()).toMatchObject({ question: 'why?', attempts: 2 });
});

test('a question in hand is not taken a second time by its own process when the clock is set forward', async () => {
  const queue = (await queues())();
  const turn = await queue.take();
  setClock(dayMs);
  expect(turn && (await queue.take([turn.id]))).toBeUndefined();
  expect(turn && (await queue.renew(turn, { steps: ['step'], draft: '' }))).toBe(true);
});
