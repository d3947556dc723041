import { silentLogger } from '@sextant/core';
import { expect, it } from 'vitest';
import { HostPaused, HostPauses } from './host-pauses.ts';

const away = async (): Promise<void> => {
  throw new Error("fatal: unable to access 'https://a.example/': Failed to connect");
};
const hour = { firstMs: 3_600_000, longestMs: 3_600_000 };
/** Over as soon as it began. */
const none = { firstMs: 0, longestMs: 0 };

interface Asked {
  readonly pauses: HostPauses;
  readonly logged: string[];
  /** What became of it: `done`, `failed`, or `paused` where nothing was asked. */
  ask(name: string, work: () => Promise<void>, host?: string): Promise<string>;
}

function pausing(lengths: typeof hour): Asked {
  const logged: string[] = [];
  const record = (_fields: object, message: string): void => void logged.push(message);
  const pauses = new HostPauses({ ...silentLogger, warn: record, info: record }, lengths);
  const ask: Asked['ask'] = (name, work, host = 'a.example') =>
    pauses.ask({ name, url: `https://${host}/${name}.git` }, work).then(
      () => 'done',
      (error: Error) => (error instanceof HostPaused ? 'paused' : 'failed'),
    );
  return { pauses, logged, ask };
}

it('a host that three repositories find away is left alone by all others, and told of once; other hosts are not', async () => {
  const { ask, logged } = pausing(hour);
  for (const name of ['a', 'b', 'c']) expect(await ask(name, away)).toBe('failed');
  for (const name of ['a', 'd', 'e']) expect(await ask(name, away)).toBe('paused');
  expect(await ask('x', async () => undefined, 'b.example')).toBe('done');
  expect(logged).toEqual(['a host does not answer: its repositories wait, and one of them tries']);
});

it('a repository that fails alone, or for a reason of its own, leaves no host alone', async () => {
  const { ask } = pausing(hour);
  for (const name of ['a', 'a', 'a', 'b']) expect(await ask(name, away)).toBe('failed');
  const missing = async (): Promise<void> => {
    throw new Error("fatal: repository 'https://a.example/c.git/' not found");
  };
  for (const name of ['c', 'd', 'e']) expect(await ask(name, missing)).toBe('failed');
  expect(await ask('f', async () => undefined)).toBe('done');
  for (const name of ['b', 'c']) expect(await ask(name, away)).toBe('failed');
  expect(await ask('g', async () => undefined)).toBe('done');
});

it('after a pause one repository tries while the others wait, and its answer ends the pause', async () => {
  const { ask, logged } = pausing(none);
  for (const name of ['a', 'b', 'c']) await ask(name, away);
  const gate = Promise.withResolvers<void>();
  const probe = ask('d', () => gate.promise);
  expect(await ask('e', async () => undefined)).toBe('paused');
  gate.reject(new Error('fatal: Could not resolve host: a.example'));
  expect(await probe).toBe('failed');
  expect(await ask('e', async () => undefined)).toBe('done');
  expect(await ask('f', async () => undefined)).toBe('done');
  expect(logged.at(-1)).toBe('a host answers again');
});

it('who tries and fails for a reason of its own lets the next one try', async () => {
  const { ask } = pausing(none);
  for (const name of ['a', 'b', 'c']) await ask(name, away);
  const full = async (): Promise<void> => {
    throw new Error('No space left on device');
  };
  expect(await ask('d', full)).toBe('failed');
  expect(await ask('e', async () => undefined)).toBe('done');
});
