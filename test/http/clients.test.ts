import {
  Client as StatelessClient,
  StreamableHTTPClientTransport as StatelessTransport,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, post } from '../support/rpc.ts';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';
import { tools, waitingTool } from './support/tools.ts';

const waiting = waitingTool();
let server: TestServer;
beforeAll(async () => {
  server = await startServer({ plugins: [tools, waiting.plugin] });
});
afterAll(() => server.close());

const info = { name: 'official', version: '1' };
const requestInit = { headers: { authorization: 'Bearer alice-token' } };
const endpoint = (): URL => new URL(`${server.url}/.api/mcp/all`);

describe('the official client of the sessions', () => {
  let client: Client;
  beforeAll(async () => {
    client = new Client(info);
    // The SDK's own types do not hold under exactOptionalPropertyTypes.
    await client.connect(
      new StreamableHTTPClientTransport(endpoint(), { requestInit }) as Parameters<Client['connect']>[0],
    );
  });
  afterAll(() => client.close());

  test('negotiates, lists and calls, and finds the result to match the output schema', async () => {
    expect(client.getServerVersion()).toMatchObject({ name: 'sextant' });
    expect(client.getInstructions()).toContain('Sextant');
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
      'missing',
      'read_lines',
      'steps',
      'wait',
      'whoami',
    ]);
    const { structuredContent } = await client.callTool({ name: 'whoami', arguments: {} });
    expect(structuredContent).toEqual({ user: 'alice', client: 'official', endpoint: '/.api/mcp/all' });
  });

  test('is told of progress', async () => {
    const seen: number[] = [];
    await client.callTool({ name: 'steps', arguments: {} }, undefined, {
      onprogress: ({ progress }) => seen.push(progress),
    });
    expect(seen).toEqual([1, 3, 4]);
  });

  test('cancels', async () => {
    const going = new AbortController();
    const answering = client.callTool({ name: 'wait', arguments: {} }, undefined, { signal: going.signal });
    const { signal } = await waiting.began();
    const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve));
    going.abort();
    await expect(answering).rejects.toThrow();
    await stopped;
  });

  test('is told of an unknown tool', async () => {
    await expect(client.callTool({ name: 'nope', arguments: {} })).rejects.toThrow('Unknown tool: nope.');
  });
});

describe('the official client of 2026-07-28', () => {
  let client: StatelessClient;
  beforeAll(async () => {
    client = new StatelessClient(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    await client.connect(new StatelessTransport(endpoint(), { requestInit }));
  });
  afterAll(() => client.close());

  test('discovers, lists and calls', async () => {
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    expect(client.getServerVersion()).toMatchObject({ name: 'sextant' });
    expect(client.getInstructions()).toContain('Sextant');
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
      'missing',
      'read_lines',
      'steps',
      'wait',
      'whoami',
    ]);
    const { structuredContent } = await client.callTool({ name: 'whoami', arguments: {} });
    expect(structuredContent).toEqual({ user: 'alice', client: 'official', endpoint: '/.api/mcp/all' });
  });

  test('is told of progress', async () => {
    const seen: number[] = [];
    await client.callTool({ name: 'steps', arguments: {} }, { onprogress: ({ progress }) => seen.push(progress) });
    expect(seen).toEqual([1, 3, 4]);
  });

  test('cancels', async () => {
    const going = new AbortController();
    const answering = client.callTool({ name: 'wait', arguments: {} }, { signal: going.signal });
    const { signal } = await waiting.began();
    const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve));
    going.abort();
    await expect(answering).rejects.toThrow();
    await stopped;
  });

  test('is told of an unknown tool and of wrong arguments', async () => {
    await expect(client.callTool({ name: 'nope', arguments: {} })).rejects.toThrow('Unknown tool: nope.');
    expect(await client.callTool({ name: 'read_lines', arguments: { limit: 0 } })).toMatchObject({ isError: true });
  });
});

test('the client that negotiates by itself finds the newest revision', async () => {
  const client = new StatelessClient(info, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StatelessTransport(endpoint(), { requestInit }));
  expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
  await client.close();
});

describe('2026-07-28 on the wire', () => {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': info,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const send = (method: string, params: object, headers: Record<string, string>): Promise<Response> =>
    post(
      server.url,
      { jsonrpc: '2.0', id: 3, method, params: { ...params, _meta: meta } },
      {
        headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...headers },
      },
    );
  const read = { name: 'read_lines', arguments: { path: 'a' } };

  test('server/discover names revision, capabilities and instructions', async () => {
    expect(await (await send('server/discover', {}, {})).json()).toMatchObject({
      id: 3,
      result: {
        resultType: 'complete',
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {} },
        instructions: expect.any(String),
      },
    });
  });

  test('a list says how long it holds, for this caller', async () => {
    expect(await (await send('tools/list', {}, {})).json()).toMatchObject({
      result: { resultType: 'complete', ttlMs: 60_000, cacheScope: 'private', tools: expect.any(Array) },
    });
  });

  test('a result carries its type', async () => {
    const response = await send('tools/call', read, { 'mcp-name': 'read_lines' });
    expect(await response.json()).toMatchObject({
      result: { resultType: 'complete', structuredContent: { path: 'a' } },
    });
  });

  test('events are one `data: ` line each here, too', async () => {
    const response = await send('tools/call', read, { 'mcp-name': 'read_lines', accept: 'text/event-stream' });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const data = (await response.text()).split('\n').filter((line) => line.startsWith('data: '));
    expect(data).toHaveLength(1);
    expect(JSON.parse(data[0]?.slice(6) ?? '')).toMatchObject({ id: 3, result: { resultType: 'complete' } });
  });

  test.each([
    ['tools/list', {}, { 'mcp-method': 'tools/call' }],
    ['tools/call', read, { 'mcp-name': 'missing' }],
    ['tools/call', read, {}],
    ['tools/list', {}, { 'mcp-protocol-version': '2025-11-25' }],
  ])('%s: headers must equal the body (%o, %o): 400', async (method, params, headers) => {
    const response = await send(method, params, headers);
    expect([response.status, await response.json()]).toMatchObject([400, { error: { code: -32020 } }]);
  });

  test('without what each request must carry: 400', async () => {
    const response = await post(server.url, call('read_lines', { path: 'a' }), {
      headers: { 'mcp-protocol-version': '2026-07-28' },
    });
    expect([response.status, await response.json()]).toMatchObject([400, { error: { code: -32602 } }]);
  });

  test('an unknown method, and a stream of changes that never come: 404 with -32601', async () => {
    for (const method of ['prompts/list', 'subscriptions/listen']) {
      const response = await send(method, {}, {});
      expect([method, response.status, await response.json()]).toMatchObject([
        method,
        404,
        { error: { code: -32601 } },
      ]);
    }
  });

  test('a notification is acknowledged', async () => {
    const response = await post(
      server.url,
      { jsonrpc: '2.0', method: 'notifications/whatever', params: { _meta: meta } },
      {
        headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'notifications/whatever' },
      },
    );
    expect(response.status).toBe(202);
  });
});
