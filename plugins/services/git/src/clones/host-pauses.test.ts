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
  readonly logged: string[];
  /** What became of it: `done`, `failed`, or `paused` where nothing was asked. */
  ask(name: string, work: (onAnswer: () => void) => Promise<void>, server?: string): Promise<string>;
  /** The error of one that may not ask. */
  pausedOf(name: string): Promise<HostPaused>;
}

function pausing(lengths: typeof hour): Asked {
  const logged: string[] = [];
  const record = (_fields: object, message: string): void => void logged.push(message);
  const pauses = new HostPauses({ ...silentLogger, warn: record, info: record }, lengths);
  const ask: Asked['ask'] = (name, work, server = 'https://a.example') =>
    pauses.ask({ name, url: `${server}/${name}.git` }, work).then(
      () => 'done',
      (error: Error) => (error instanceof HostPaused ? 'paused' : 'failed'),
    );
  const pausedOf: Asked['pausedOf'] = async (name) => {
    const error: unknown = await pauses
      .ask({ name, url: `https://a.example/${name}.git` }, async () => undefined)
      .catch((thrown: unknown) => thrown);
    if (error instanceof HostPaused) return error;
    throw new Error(`${name} is not paused`);
  };
  return { logged, ask, pausedOf };
}

it('a host that three repositories find away is left alone by all others, and told of once; other hosts are not', async () => {
  const { ask, logged } = pausing(hour);
  for (const name of ['a', 'b', 'c']) expect(await ask(name, away)).toBe('failed');
  for (const name of ['a', 'd', 'e']) expect(await ask(name, away)).toBe('paused');
  expect(await ask('x', async () => undefined, 'https://b.example')).toBe('done');
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

const failing = (said: string) => async (): Promise<void> => {
  throw new Error(said);
};

it.each([
  "fatal: unable to access 'https://a.example/': The requested URL returned error: 500",
  "fatal: unable to access 'https://a.example/': The requested URL returned error: 400",
  "fatal: unable to access 'https://a.example/': The requested URL returned error: 451",
  'error: RPC failed; curl 18 transfer closed with outstanding read data remaining\nfatal: early EOF',
  'fatal: the remote end hung up unexpectedly',
  'Received disconnect from 192.0.2.1 port 22:2: Too many authentication failures\nDisconnected from 192.0.2.1 port 22',
])('what may be of one repository leaves no host alone: %s', async (said) => {
  const { ask } = pausing(hour);
  for (const name of ['a', 'b', 'c', 'd']) expect(await ask(name, failing(said))).toBe('failed');
});

it.each([
  "fatal: unable to access 'https://a.example/': Could not resolve host: a.example",
  "fatal: unable to access 'https://a.example/': Failed to connect to a.example port 443 after 3 ms: Couldn't connect to server",
  "fatal: unable to access 'https://a.example/': The requested URL returned error: 429",
  "fatal: unable to access 'https://a.example/': The requested URL returned error: 503",
  'ssh: connect to host a.example port 22: Connection timed out',
  'ssh: connect to host a.example port 22: No route to host',
])('a host is left alone where it is away: %s', async (said) => {
  const { ask } = pausing(hour);
  for (const name of ['a', 'b', 'c']) await ask(name, failing(said));
  expect(await ask('d', async () => undefined)).toBe('paused');
});

it('those that failed come after all others when a pause ends', async () => {
  const { ask, pausedOf } = pausing(hour);
  for (const name of ['a', 'b', 'c']) await ask(name, away);
  const other = await pausedOf('d');
  for (const name of ['a', 'b', 'c']) expect((await pausedOf(name)).waitMs).toBeGreaterThan(other.waitMs);
});

it('who waits knows why', async () => {
  const { ask, pausedOf } = pausing(hour);
  for (const name of ['a', 'b', 'c']) await ask(name, failing('fatal: Could not resolve host: a.example'));
  expect((await pausedOf('d')).reason).toBe('the name of its host is not known');
});

it.each(['ssh://git@a.example', 'git@a.example:', 'http://a.example', 'https://a.example:8443'])(
  'a host that is away over https is asked at %s',
  async (server) => {
    const { ask } = pausing(hour);
    for (const name of ['a', 'b', 'c']) await ask(name, away);
    expect(await ask('d', async () => undefined, server)).toBe('done');
    expect(await ask('d', async () => undefined)).toBe('paused');
  },
);

it.each(['fatal: Authentication failed', "fatal: repository 'https://a.example/d.git/' not found"])(
  'a refusal is an answer: %s',
  async (said) => {
    const { ask, logged } = pausing(none);
    for (const name of ['a', 'b', 'c']) await ask(name, away);
    expect(await ask('d', failing(said))).toBe('failed');
    expect(logged.at(-1)).toBe('a host answers again');
  },
);

it('who tries frees the others as soon as the host has answered, and what fails then is of its repository', async () => {
  const { ask, logged } = pausing(none);
  for (const name of ['a', 'b', 'c']) await ask(name, away);
  const gate = Promise.withResolvers<void>();
  const probe = ask('d', (onAnswer) => {
    onAnswer();
    return gate.promise;
  });
  expect(await ask('e', async () => undefined)).toBe('done');
  gate.reject(new Error('error: RPC failed; HTTP 504 curl 22 The requested URL returned error: 504'));
  expect(await probe).toBe('failed');
  expect(logged.at(-1)).toBe('a host answers again');
  for (const name of ['f', 'g']) await ask(name, away);
  expect(await ask('h', async () => undefined)).toBe('done');
});
