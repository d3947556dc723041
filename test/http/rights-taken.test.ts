import { setTimeout } from 'node:timers/promises';
import { defineAuthenticator, definePage, definePlugin, defineResource, defineTool } from '@sextant/core';
import type { Caller } from '@sextant/core';
import { callerOf } from '@sextant/core/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { call, post } from '../support/rpc.ts';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

/** Longer than an answer must take for its caller's rights to be looked at again. */
const longMs = 400;
const member = callerOf('eve', { id: 7, roles: ['team'] });

/** A server on which `eve` is a member of a team until the test says otherwise; what it answers is for the team. */
async function startForTeam(): Promise<{
  server: TestServer;
  now: { caller: Caller | undefined };
  begun(): Promise<void>;
  serve(repositories: readonly object[]): Promise<void>;
}> {
  const now: { caller: Caller | undefined } = { caller: member };
  const beginning = Promise.withResolvers<void>();
  const work = async (signal: AbortSignal, milliseconds = longMs): Promise<string> => {
    beginning.resolve();
    await setTimeout(milliseconds, undefined, { signal });
    return 'classified';
  };
  const plugin = definePlugin({
    name: 'team',
    authenticators: [
      defineAuthenticator({
        name: 'eve',
        needs: {},
        authenticate: async ({ headers }) => (headers.get('authorization') === 'Bearer eve' ? now.caller : undefined),
      }),
    ],
    tools: [
      defineTool({
        name: 'answer',
        title: 'Answer',
        description: 'Answers.',
        endpoints: ['default'],
        needs: {},
        input: z.object({ milliseconds: z.int().optional().describe('How long it takes') }),
        output: z.object({ text: z.string() }),
        run: async ({ milliseconds }, _services, { signal }) => ({ text: await work(signal, milliseconds) }),
        toText: ({ text }) => text,
      }),
      defineTool({
        name: 'refuse',
        title: 'Refuse',
        description: 'Fails.',
        endpoints: ['default'],
        needs: {},
        input: z.object({}),
        output: z.object({}),
        run: async (_input, _services, { signal }) => {
          throw new Error(await work(signal));
        },
        toText: () => '',
      }),
    ],
    resources: [
      defineResource({
        uri: 'team://plan',
        name: 'plan',
        title: 'Plan',
        description: 'A plan.',
        mimeType: 'text/plain',
        withTools: ['answer'],
        needs: {},
        read: async (_variables, _services, { signal }) => ({ mimeType: 'text/plain', text: await work(signal) }),
      }),
    ],
    pages: [
      definePage({
        name: 'plan',
        method: 'GET',
        path: '/plan',
        access: { scope: 'all' },
        needs: {},
        respond: async (_request, _services, { signal }) => new Response(await work(signal)),
      }),
      definePage({
        name: 'news',
        method: 'GET',
        path: '/news',
        access: { scope: 'all' },
        needs: {},
        respond: async () => {
          beginning.resolve();
          const timers = new Set<NodeJS.Timeout>();
          const body = new ReadableStream<Uint8Array>({
            start: (controller) =>
              void timers.add(setInterval(() => controller.enqueue(Buffer.from('data: classified\n\n')), 50)),
            cancel: () => timers.forEach((timer) => clearInterval(timer)),
          });
          return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
        },
      }),
    ],
  });
  const plugins = [plugin];
  const server = await startServer({ plugins, repositories: [{ path: 'plans', access: { users: ['eve', 'bob'] } }] });
  const serve = (repositories: readonly object[]): Promise<void> => server.reload({ plugins, repositories });
  return { server, now, begun: () => beginning.promise, serve };
}

const less: readonly (readonly [string, Caller | undefined])[] = [
  ['the role', callerOf('eve', { id: 7 })],
  ['a permission', callerOf('eve', { id: 7, roles: ['team'], permissions: [] })],
  ['the token', undefined],
];
const read = { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'team://plan' } };
const asked: readonly (readonly [string, (url: string) => Promise<Response>])[] = [
  ['the answer of a tool', (url) => post(url, call('answer'), { token: 'eve' })],
  ['the error of a tool', (url) => post(url, call('refuse'), { token: 'eve' })],
  ['a resource', (url) => post(url, read, { token: 'eve' })],
  ['a page', (url) => fetch(`${url}/plan`, { headers: { authorization: 'Bearer eve' } })],
];

test.each(asked)('%s is withheld from who lost rights while it was in the making', async (_what, ask) => {
  const isWithheld = async ([taken, caller]: (typeof less)[number]): Promise<void> => {
    const { server, now, begun } = await startForTeam();
    await using _server = server;
    const asking = ask(server.url).then((response) => response.text());
    await begun();
    now.caller = caller;
    const text = await asking;
    expect(text, taken).not.toContain('classified');
    expect(text, taken).not.toContain('internal error');
    expect(text, taken).toContain('what you may do changed while this was being answered; ask again');
  };
  await Promise.all(less.map(isWithheld));
});

test.each<[string, readonly object[], boolean]>([
  ['keeps a repository from the caller', [{ path: 'plans', access: { users: ['bob'] } }], false],
  ['serves it no longer', [], false],
  ['serves another besides', [{ path: 'x' }, { path: 'plans', access: { users: ['eve', 'bob'] } }], true],
])('a configuration that %s', async (_what, repositories, isAnswered) => {
  const { server, begun, serve } = await startForTeam();
  await using _server = server;
  const asking = post(server.url, call('answer'), { token: 'eve' }).then((response) => response.text());
  await begun();
  await serve(repositories);
  const text = await asking;
  expect(text.includes('classified')).toBe(isAnswered);
  expect(text.includes('what you may do changed')).toBe(!isAnswered);
});

test('who gets more rights, or other ones of the same name, is answered', async () => {
  const { server, now, begun } = await startForTeam();
  await using _server = server;
  const asking = post(server.url, call('answer'), { token: 'eve' }).then((response) => response.text());
  await begun();
  now.caller = callerOf('eve', { id: 7, roles: ['team', 'other'], isSiteAdmin: true });
  expect(await asking).toContain('classified');
});

test('a call that goes on is stopped, and a stream ends', async () => {
  const { server, now } = await startForTeam();
  await using _server = server;
  const calling = post(server.url, call('answer', { milliseconds: 50_000 }), { token: 'eve' });
  const streaming = await fetch(`${server.url}/news`, { headers: { authorization: 'Bearer eve' } });
  const reader = streaming.body?.getReader();
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toContain('classified');
  now.caller = callerOf('eve', { id: 7 });
  expect(await (await calling).text()).toContain('what you may do changed');
  let isDone = false;
  while (!isDone) isDone = (await reader?.read())?.done ?? true;
});
