import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SextantError, setDeadline, silentLogger } from '@sextant/core';
import { callerOf } from '@sextant/core/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { CallerSigner, CallerVerifier } from './claims.ts';
import { MalformedAnswer, NodeClient, NodeRefusal } from './client.ts';
import { NodeServer } from './server.ts';
import type { NodeServerOptions } from './server.ts';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const privatePem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
const publicPem = String(publicKey.export({ type: 'spki', format: 'pem' }));
const alice = callerOf('alice', { roles: ['Reader'], id: 7 });
const { signal } = new AbortController();

const methods = {
  echo: {
    args: z.object({ text: z.string() }),
    result: z.object({ text: z.string(), by: z.string() }),
    isStream: false,
  },
  bytes: {
    args: z.object({ count: z.int() }),
    result: z.object({ at: z.int(), bytes: z.instanceof(Uint8Array) }),
    isStream: true,
  },
  wait: { args: z.object({}), result: z.null(), isStream: false },
  fail: { args: z.object({ code: z.string() }), result: z.null(), isStream: false },
  lie: { args: z.object({}), result: z.object({ text: z.string() }), isStream: false },
} as const;

const stopped = { promise: Promise.withResolvers<unknown>() };
const streamed = { promise: Promise.withResolvers<number>() };

/** Whose deadline a node keeps at once, while this host still waits. */
function overdue(): AbortSignal {
  const { signal: late } = new AbortController();
  setDeadline(late, performance.now() - 3000);
  return late;
}

const parts = {
  methods,
  verifier: new CallerVerifier(publicPem, 'a'),
  admit: (args) => {
    if (JSON.stringify(args).includes('foreign')) throw new SextantError('conflict', 'not the owner by epoch e1');
  },
  handlers: {
    echo: async ({ text }, { caller }) => ({ text, by: `${caller?.user.name} ${[...(caller?.roles ?? [])].join()}` }),
    async *bytes({ count }) {
      let at = 0;
      try {
        for (; at < count; at += 1) yield { at, bytes: new Uint8Array(100_000).fill(at) };
      } finally {
        streamed.promise.resolve(at);
      }
    },
    wait: async (_args, { signal: ends }) => {
      if (!ends.aborted) await new Promise((resolve) => ends.addEventListener('abort', resolve));
      stopped.promise.resolve(ends.reason);
      throw ends.reason;
    },
    fail: async ({ code }) => {
      if (code === 'bug') throw new Error('secret detail');
      throw new SextantError('unavailable', 'busy', { retryAfterSeconds: 3 });
    },
    lie: async () => ({ text: 5 }) as never,
  },
  log: silentLogger,
} satisfies Omit<NodeServerOptions<typeof methods>, 'tls'>;
const server = new NodeServer({ ...parts, tls: undefined });

let client: NodeClient<typeof methods>;
const clientWith = (port: number, pem = privatePem, node = 'a') =>
  new NodeClient({ node, url: `http://127.0.0.1:${port}`, methods, signer: new CallerSigner(pem), tls: undefined });
let port = 0;

beforeAll(async () => {
  port = await server.listen({ host: '127.0.0.1', port: 0 });
  client = clientWith(port);
});
afterAll(async () => {
  client.close();
  await server.close(100);
});

test('a call arrives with its caller, and is answered', async () => {
  expect(await client.call('echo', { text: 'ü' }, { caller: alice, signal })).toEqual({
    text: 'ü',
    by: 'alice Reader',
  });
});

test('a stream gives its pieces in order, with their bytes', async () => {
  const pieces: (number | undefined)[][] = [];
  for await (const { at, bytes } of client.stream('bytes', { count: 20 }, { caller: alice, signal }))
    pieces.push([at, bytes.length, bytes.at(-1)]);
  expect(pieces).toEqual(Array.from({ length: 20 }, (_, at) => [at, 100_000, at]));
});

test('an error keeps code, message and when to try again; a bug says nothing of itself', async () => {
  const busy = client.call('fail', { code: 'busy' }, { caller: alice, signal });
  await expect(busy).rejects.toMatchObject({ code: 'unavailable', message: 'busy', retryAfterSeconds: 3 });
  const bug = client.call('fail', { code: 'bug' }, { caller: alice, signal });
  await expect(bug).rejects.toMatchObject({ code: 'internal', message: 'the node failed at fail' });
  await expect(client.call('lie', {}, { caller: alice, signal })).rejects.toMatchObject({ code: 'internal' });
});

test('an answer that its schema does not have says which method answered what', async () => {
  const result = z.object({ text: z.string(), by: z.string(), since: z.string() });
  const newer = { ...methods, echo: { ...methods.echo, result } };
  const signer = new CallerSigner(privatePem);
  const url = `http://127.0.0.1:${port}`;
  const other = new NodeClient({ node: 'a', url, methods: newer, signer, tls: undefined });
  try {
    const answered = other.call('echo', { text: 'x' }, { caller: alice, signal });
    await expect(answered).rejects.toBeInstanceOf(MalformedAnswer);
    await expect(answered).rejects.toThrow(/^the node a answered echo with what the protocol does not have: [^]*since/);
  } finally {
    other.close();
  }
});

test('a signal that aborts ends the call on both sides', async () => {
  const controller = new AbortController();
  const reason = new Error('enough');
  const running = client.call(
    'wait',
    {},
    { caller: alice, signal: controller.signal, onAccepted: () => controller.abort(reason) },
  );
  await expect(running).rejects.toBe(reason);
  expect(await stopped.promise.promise).toMatchObject({ code: 'canceled' });
});

test('a deadline ends the call on the node', async () => {
  stopped.promise = Promise.withResolvers();
  const running = client.call('wait', {}, { caller: alice, signal: overdue() });
  await expect(running).rejects.toMatchObject({ code: 'timeout' });
});

test('at the deadline a node no longer waits for a host that does not read', async () => {
  streamed.promise = Promise.withResolvers();
  const { signal: soon } = new AbortController();
  setDeadline(soon, performance.now());
  const pieces = client.stream('bytes', { count: 10_000 }, { caller: alice, signal: soon });
  await pieces.next();
  expect(await streamed.promise.promise).toBeLessThan(9999);
  await pieces.return(undefined);
});

describe('a node refuses before it works', () => {
  const refused = (call: Promise<unknown>, status: number): Promise<void> =>
    expect(call).rejects.toMatchObject({ constructor: NodeRefusal, status });

  test('what it does not own, and names its epoch', async () => {
    const call = client.call('echo', { text: 'foreign' }, { caller: alice, signal });
    await refused(call, 421);
    await expect(call).rejects.toThrow('by epoch e1');
  });

  test('arguments that are none', () =>
    refused(client.call('echo', { text: 5 } as never, { caller: alice, signal }), 400));

  test('more than a call may have', () =>
    refused(client.call('echo', { text: 'x'.repeat(17 << 20) }, { caller: alice, signal }), 413));

  test('claims of a stranger, and those for another node', async () => {
    const strange = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
    for (const other of [clientWith(port, String(strange)), clientWith(port, privatePem, 'b')]) {
      await refused(other.call('echo', { text: '' }, { caller: alice, signal }), 401);
      other.close();
    }
  });
});

test('claims are good for a minute', () => {
  const verifier = new CallerVerifier(publicPem, 'a');
  const text = new CallerSigner(privatePem).claimsFor(alice, 'a');
  const now = Date.now() / 1000;
  expect(verifier.verify(text).caller?.user.id).toBe(7);
  expect(() => verifier.verify(text, now + 120)).toThrow('not of this time');
  expect(() => verifier.verify(text, now - 120)).toThrow('not of this time');
  expect(() => verifier.verify(`${text}x`)).toThrow('not signed');
});

test('a node that is gone is told from one that fails', async () => {
  const gone = clientWith(1);
  await expect(gone.call('echo', { text: '' }, { caller: alice, signal })).rejects.toBeInstanceOf(NodeRefusal);
  gone.close();
});

test('a node of another version of the protocol is named, and refused', async () => {
  const other = createServer();
  other.on('stream', (stream) => {
    stream.respond({ ':status': 200, 'sextant-protocol': 99 });
    stream.end();
  });
  await once(other.listen(0, '127.0.0.1'), 'listening');
  const { port } = other.address() as AddressInfo;
  const signer = new CallerSigner(privatePem);
  const client = new NodeClient({ node: 'old', url: `http://127.0.0.1:${port}`, methods, signer, tls: undefined });
  await expect(client.call('echo', { text: 'x' }, { caller: alice, signal })).rejects.toThrow(
    /^the node old speaks version 99 of the protocol of nodes, and this host \d+: run one release$/,
  );
  client.close();
  other.close();
});

test('host and node show each other certificates of their authority', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sextant-node-'));
  const made = (name: string): { ca: string; cert: string; key: string } => {
    const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1'];
    const files = ['-keyout', join(folder, `${name}.key`), '-out', join(folder, `${name}.pem`)];
    const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
    execFileSync('openssl', ['req', ...kind, ...subject, ...files], { stdio: 'pipe' });
    const cert = readFileSync(join(folder, `${name}.pem`), 'utf8');
    return { ca: cert, cert, key: readFileSync(join(folder, `${name}.key`), 'utf8') };
  };
  const [own, strange] = [made('own'), made('strange')];
  rmSync(folder, { recursive: true });
  const secure = new NodeServer({ ...parts, tls: own });
  const url = `https://127.0.0.1:${await secure.listen({ host: '127.0.0.1', port: 0 })}`;
  const askWith = async (tls: ConstructorParameters<typeof NodeClient>[0]['tls']): Promise<string> => {
    const other = new NodeClient({ node: 'a', url, methods, signer: new CallerSigner(privatePem), tls });
    return other
      .call('echo', { text: 'safe' }, { caller: alice, signal })
      .then(({ text }) => text)
      .catch((error: Error) => error.constructor.name)
      .finally(() => other.close());
  };
  expect(await askWith(own)).toBe('safe');
  expect(await askWith({ ...strange, ca: own.ca }), 'a host of another authority').toBe('NodeRefusal');
  expect(await askWith({ ...own, ca: strange.ca }), 'a node of another authority').toBe('NodeRefusal');
  expect(await askWith({ ca: own.ca }), 'a host without a certificate').toBe('NodeRefusal');
  await secure.close(100);
});

test('claims are signed once for calls of the same caller, whose objects are others', () => {
  const signer = new CallerSigner(privatePem);
  const again = callerOf('alice', { roles: ['Reader'], id: 7 });
  const changed = callerOf('alice', { roles: ['Owner'], id: 7 });
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    const first = signer.claimsFor(alice, 'a');
    vi.setSystemTime(Date.now() + 5000);
    expect(signer.claimsFor(again, 'a')).toBe(first);
    expect(new CallerVerifier(publicPem, 'a').verify(signer.claimsFor(changed, 'a')).caller?.roles).toEqual(
      new Set(['Owner']),
    );
    vi.setSystemTime(Date.now() + 40_000);
    expect(signer.claimsFor(alice, 'a')).not.toBe(first);
  } finally {
    vi.useRealTimers();
  }
});
