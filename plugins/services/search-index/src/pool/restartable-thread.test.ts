import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { RestartableThread } from './restartable-thread.ts';

const source = `const { parentPort } = require('node:worker_threads');
parentPort.on('message', (message) => {
  if (message === 'fail') throw new Error('failed');
  parentPort.postMessage(message);
});`;

test('a thread is started when it is needed, also again after it failed, and told what it must know', async () => {
  const answers: unknown[] = [];
  const failures: string[] = [];
  const thread = new RestartableThread({
    start: () => new Worker(source, { eval: true }),
    known: () => ['known'],
    onAnswer: (answer) => answers.push(answer),
    onFailure: ({ message }) => failures.push(message),
  });
  thread.mention('nobody is there yet');
  thread.tell('first');
  thread.tell('fail');
  await expect.poll(() => failures).toEqual(['failed']);
  thread.mention('nobody is there to hear it');
  thread.tell('second');
  await expect.poll(() => answers).toEqual(['known', 'first', 'known', 'second']);
  await thread.close();
});
