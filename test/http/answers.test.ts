import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, post } from '../support/rpc.ts';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';
import { tools } from './support/tools.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ plugins: [tools] });
});
afterAll(() => server.close());

const list = { jsonrpc: '2.0', id: 'first', method: 'tools/list' };
const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'tester', version: '1' } },
};

/** The events of an answer as lines; comments and empty lines left out. */
const eventLines = (text: string): string[] => text.split('\n').filter((line) => line !== '' && !line.startsWith(':'));

describe('the form of an answer', () => {
  test.each([
    'text/event-stream',
    'application/json, text/event-stream',
    'text/event-stream;q=0.5',
    'TEXT/EVENT-STREAM, */*',
  ])('Accept %s: SSE with the whole JSON-RPC response on one `data: ` line', async (accept) => {
    const response = await post(server.url, call('read_lines', { path: 'a\nb' }), { headers: { accept } });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    const lines = eventLines(await response.text());
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^data: \{/);
    expect(JSON.parse(lines[0]?.slice(6) ?? '')).toMatchObject({
      id: 1,
      result: { structuredContent: { path: 'a\nb' } },
    });
  });

  test.each(['application/json', '*/*', 'text/html', '', 'application/json, text/event-stream;q=0'])(
    'Accept %s: JSON, and never 406',
    async (accept) => {
      const response = await post(server.url, list, { headers: { accept } });
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
      expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: 'first' });
    },
  );

  test('an old client posts tools/call as its very first request and reads the first `data: ` line', async () => {
    const response = await fetch(`${server.url}/.api/mcp/v1`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: 'token alice-token',
      },
      body: JSON.stringify(call('sg_read_lines', { path: 'a' }, 7)),
    });
    const line = (await response.text()).split('\n').find((candidate) => candidate.startsWith('data: '));
    expect(JSON.parse(line?.slice(6) ?? '')).toMatchObject({
      jsonrpc: '2.0',
      id: 7,
      result: { structuredContent: { path: 'a' } },
    });
  });

  test('every answer has a request id of its own and the security headers', async () => {
    const [one, two] = [
      await post(server.url, list),
      await fetch(`${server.url}/nope`, { headers: { 'x-request-id': 'forged' } }),
    ];
    for (const { headers } of [one, two]) {
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    }
    expect(one.headers.get('x-request-id')).not.toBe(two.headers.get('x-request-id'));
    expect(one.headers.get('cache-control')).toBe('no-store');
  });
});

describe('initialize', () => {
  const resultOf = async (message: object): Promise<Record<string, unknown>> => {
    const answer = (await (await post(server.url, message)).json()) as { result: Record<string, unknown> };
    return answer.result;
  };

  test('answers with server name, version and instructions for the tools of the endpoint', async () => {
    expect(await resultOf(initialize)).toMatchObject({
      protocolVersion: '2025-06-18',
      serverInfo: { name: 'sextant', version: expect.stringMatching(/^\d+\.\d+\.\d+/) },
      capabilities: { tools: {} },
      instructions: expect.stringContaining('Sextant reads git repositories'),
    });
  });

  test.each(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'])(
    'agrees to %s',
    async (protocolVersion) => {
      const params = { ...initialize.params, protocolVersion };
      expect(await resultOf({ ...initialize, params })).toMatchObject({ protocolVersion });
      expect((await post(server.url, list, { headers: { 'mcp-protocol-version': protocolVersion } })).status).toBe(200);
    },
  );

  test('offers the newest that begins so to a client that asks for another', async () => {
    const params = { ...initialize.params, protocolVersion: '1999-01-01' };
    expect(await resultOf({ ...initialize, params })).toMatchObject({ protocolVersion: '2025-11-25' });
  });

  test('names what is missing', async () => {
    const answer = await (await post(server.url, { ...initialize, params: {} })).json();
    expect(answer).toMatchObject({
      id: 0,
      error: { code: -32602, message: expect.stringContaining('protocolVersion') },
    });
  });

  test('no session is required, nor given', async () => {
    expect((await post(server.url, initialize)).headers.get('mcp-session-id')).toBeNull();
  });
});

describe('tools/list', () => {
  const toolsOf = async (path: string): Promise<Record<string, unknown>[]> => {
    const answer = (await (await post(server.url, list, { path })).json()) as {
      result: { tools: Record<string, unknown>[] };
    };
    return answer.result.tools;
  };

  test('works as the very first request, in alphabetical order', async () => {
    expect((await toolsOf('/.api/mcp')).map(({ name }) => name)).toEqual(['missing', 'read_lines', 'steps']);
    expect((await toolsOf('/.api/mcp/all')).map(({ name }) => name)).toEqual([
      'missing',
      'read_lines',
      'steps',
      'whoami',
    ]);
    expect(await toolsOf('/.api/mcp/deepsearch')).toEqual([]);
  });

  test('on /.api/mcp/v1 lists every tool also as sg_<name>', async () => {
    const names = (await toolsOf('/.api/mcp/v1')).map(({ name }) => name);
    expect(names).toEqual([
      'missing',
      'read_lines',
      'sg_missing',
      'sg_read_lines',
      'sg_steps',
      'sg_whoami',
      'steps',
      'whoami',
    ]);
  });

  test('shows title, description, annotations and schemas, and nothing else', async () => {
    const [, tool] = await toolsOf('/.api/mcp');
    expect(tool).toEqual({
      name: 'read_lines',
      title: 'Read lines',
      description: 'Reads the lines of a file that does not exist.',
      annotations: { readOnlyHint: true, openWorldHint: false },
      inputSchema: {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'Path of the file' },
          limit: { type: 'integer', description: 'Lines', minimum: 1, maximum: 200, default: 200 },
        },
        required: ['path'],
        additionalProperties: false,
      },
      outputSchema: expect.objectContaining({ type: 'object' }),
    });
    expect(JSON.stringify(tool)).not.toMatch(/\$schema|execution/);
  });
});

describe('other messages', () => {
  test('ping is answered', async () => {
    expect(await (await post(server.url, { jsonrpc: '2.0', id: 'p', method: 'ping' })).json()).toEqual({
      jsonrpc: '2.0',
      id: 'p',
      result: {},
    });
  });

  test.each([
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 99 } },
    { jsonrpc: '2.0', id: 1, result: {} },
    { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'no' } },
  ])('202 without a body for %o', async (message) => {
    const response = await post(server.url, message);
    expect([response.status, await response.text()]).toEqual([202, '']);
  });

  test('ids of many clients at once are kept apart', async () => {
    const paths = Array.from({ length: 12 }, (_, n) => `p${n}`);
    const answers = await Promise.all(
      paths.map(async (path) => (await post(server.url, call('read_lines', { path }, 'same'))).json()),
    );
    expect(answers).toMatchObject(paths.map((path) => ({ id: 'same', result: { structuredContent: { path } } })));
  });
});

describe('the name of the client', () => {
  const clientOf = async (headers: Record<string, string>): Promise<string> => {
    const answer = (await (await post(server.url, call('whoami'), { path: '/.api/mcp/all', headers })).json()) as {
      result: { structuredContent: { client: string } };
    };
    return answer.result.structuredContent.client;
  };

  test('is the one from the handshake, of the same program and credential', async () => {
    const headers = { 'user-agent': 'some-http/2.1 (linux)' };
    await post(server.url, initialize, { headers });
    expect(await clientOf(headers)).toBe('tester');
    expect(await clientOf({ 'user-agent': 'another/1' })).toBe('another');
    expect(await clientOf({ ...headers, authorization: 'Bearer bob-token' })).toBe('some-http');
  });

  test('is one line that nothing turns round, and no longer than 100 characters', async () => {
    const headers = { 'user-agent': 'odd/1' };
    const clientInfo = { name: `a\u0000b\r\n\u202eexe\ud800${'x'.repeat(200)}`, version: '1' };
    await post(server.url, { ...initialize, params: { ...initialize.params, clientInfo } }, { headers });
    expect(await clientOf(headers)).toBe(String.raw`a\u0000b\u000d\u000a\u202eexe` + `\ufffd${'x'.repeat(70)}`);
  });
});

test('a change of the configuration counts for the next request, on the same connection', async () => {
  await using changing = await startServer({ plugins: [tools] });
  const names = async (): Promise<string> => (await post(changing.url, list)).text();
  expect(await names()).toContain('read_lines');
  await changing.reload({ plugins: [tools], settings: { 'mcp.tools.disabled': ['read_lines'] } });
  expect(await names()).not.toContain('read_lines');
  await changing.reload({ plugins: [tools], settings: { endpoints: { '/.api/mcp/mine': ['whoami'] } } });
  expect((await post(changing.url, list, { path: '/.api/mcp/mine' })).status).toBe(200);
});
