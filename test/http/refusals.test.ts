import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, post } from '../support/rpc.ts';
import { externalURL, startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';
import { tools } from './support/tools.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ plugins: [tools], settings: { endpoints: { '/.api/mcp/review': ['read_lines'] } } });
});
afterAll(() => server.close());

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const metadata = `${externalURL}/.well-known/oauth-protected-resource`;

describe('who may come in', () => {
  test.each([
    ['no credentials', { authorization: '' }],
    ['bad credentials', { authorization: 'Bearer nobody' }],
    ['credentials of an unknown scheme', { authorization: 'Basic YTpi' }],
  ])('%s: 401 with the challenge of the contract', async (_, headers) => {
    const response = await post(server.url, list, { headers });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe(
      `Bearer resource_metadata="${metadata}/.api/mcp", scope="mcp"`,
    );
  });

  test.each(['/.api/mcp/all', '/.api/mcp/deepsearch', '/.api/mcp/v1', '/.api/mcp/review'])(
    'the path suffix of the challenge is the own one of %s',
    async (path) => {
      const { headers } = await post(server.url, list, { path, token: 'bad' });
      expect(headers.get('www-authenticate')).toBe(`Bearer resource_metadata="${metadata}${path}", scope="mcp"`);
    },
  );

  test('a GET without credentials is 401, so that clients discover how to sign in; with them it is 405', async () => {
    expect((await fetch(`${server.url}/.api/mcp`)).status).toBe(401);
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const response = await fetch(`${server.url}/.api/mcp`, {
        method,
        headers: { authorization: 'Bearer alice-token' },
      });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    }
  });

  test('a token without the scope: 403 insufficient_scope (RFC 6750 section 3.1)', async () => {
    const response = await post(server.url, list, { token: 'analyst-token' });
    expect(response.status).toBe(403);
    expect(response.headers.get('www-authenticate')).toBe(
      `Bearer error="insufficient_scope", resource_metadata="${metadata}/.api/mcp", scope="mcp"`,
    );
    expect(await response.json()).toMatchObject({ error: { code: 'insufficient_scope' } });
  });

  test('a user without MCP#ACCESS: 403 with the text `forbidden`', async () => {
    const response = await post(server.url, list, { token: 'outsider-token' });
    expect([response.status, await response.text()]).toEqual([403, 'forbidden']);
  });

  test('both `Bearer` and `token` are schemes of a token', async () => {
    for (const scheme of ['Bearer', 'bearer', 'token', 'Token'])
      expect((await post(server.url, list, { headers: { authorization: `${scheme} alice-token` } })).status).toBe(200);
  });
});

describe('paths', () => {
  test.each(['/.api/mcp/nope', '/.api/mcp/all/more', '/.api/mcp//', '/.api/mcp/V1', '/.api/mcps', '/nope', '/'])(
    '%s: 404 `not found`, before anyone is asked who they are',
    async (path) => {
      const response = await post(server.url, list, { path, token: 'bad' });
      expect([response.status, await response.text()]).toEqual([404, 'not found']);
    },
  );

  test('a body with an encoding is 415, on every path', async () => {
    for (const path of ['/.api/mcp', '/nope']) {
      const response = await post(server.url, list, { path, headers: { 'content-encoding': 'gzip' } });
      expect([response.status, response.headers.get('accept-encoding'), await response.json()]).toEqual([
        415,
        'identity',
        { error: { code: 'invalid_argument', message: 'the body has a Content-Encoding; send it without one' } },
      ]);
    }
    const plain = await post(server.url, list, { headers: { 'content-encoding': 'identity' } });
    expect(plain.status).toBe(200);
  });

  test('a path that is no URL is 400', async () => {
    const response = await fetch(`${server.url}/%E0%A4%A`);
    expect([response.status, await response.json()]).toMatchObject([400, { error: { code: 'invalid_argument' } }]);
  });

  test('`mcp.enabled: false`: every request to /.api/mcp and below answers 404 with the text `no route`', async () => {
    await using off = await startServer({ plugins: [tools], settings: { 'mcp.enabled': false } });
    for (const path of ['/.api/mcp', '/.api/mcp/all', '/.api/mcp/nope', '/.api/mcp/v1/x'])
      for (const method of ['GET', 'POST', 'DELETE']) {
        const response = await fetch(`${off.url}${path}`, { method });
        expect([path, method, response.status, await response.text()]).toEqual([path, method, 404, 'no route']);
      }
    expect((await fetch(`${off.url}/healthz`)).status).toBe(200);
  });
});

describe('what is no message', () => {
  const invalid = (text: string): [string, unknown] => [text, expect.objectContaining({ code: -32600 })];

  test.each([
    ['{"jsonrpc":"2.0",', expect.objectContaining({ code: -32700, message: 'the body is not valid JSON' })],
    ['', expect.objectContaining({ code: -32700 })],
    [JSON.stringify([list]), { code: -32600, message: 'batches are not part of MCP; send one message a request' }],
    invalid('[]'),
    invalid('null'),
    invalid('"tools/list"'),
    invalid('{}'),
    invalid('{"id":1,"method":"tools/list"}'),
    invalid('{"jsonrpc":"1.0","id":1,"method":"tools/list"}'),
    invalid('{"jsonrpc":"2.0","id":1}'),
    invalid('{"jsonrpc":"2.0","id":1,"method":7}'),
    invalid('{"jsonrpc":"2.0","id":null,"method":"tools/list"}'),
    invalid('{"jsonrpc":"2.0","id":{},"method":"tools/list"}'),
    invalid('{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}'),
  ])('%s: 400', async (body, error) => {
    const response = await post(server.url, body);
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error });
  });

  const keys = JSON.stringify(Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`k${at}`, 1])));
  test.each([
    ['keys', `{"jsonrpc":"2.0","id":1,"method":"initialize","params":${keys}}`],
    ['levels', `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'{"a":'.repeat(100_000)}`],
    ['values', `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":["\\\\"${',1'.repeat(10_000)}]}}`],
  ])('more than 10,000 %s: 400, before schemas see them', async (_, body) => {
    const response = await post(server.url, body);
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { code: -32600, message: 'the message has more than 10000 values, the most it may have' } },
    ]);
  });

  test('a text with any number of commas, quotes and brackets is one value', async () => {
    const path = '",[{\\'.repeat(100_000);
    const answer = await (await post(server.url, call('read_lines', { path }))).json();
    expect(answer).toMatchObject({ result: { structuredContent: { path } } });
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp'])(
    'Content-Type %s: 415',
    async (type) => {
      const response = await post(server.url, list, { headers: { 'content-type': type } });
      expect([response.status, await response.json()]).toMatchObject([
        415,
        { error: { message: 'Content-Type must be application/json' } },
      ]);
    },
  );

  test('Content-Type with a charset is fine', async () => {
    expect(
      (await post(server.url, list, { headers: { 'content-type': 'application/json; charset=utf-8' } })).status,
    ).toBe(200);
  });

  test.each(['2099-01-01', '1.0', 'newest'])(
    'MCP-Protocol-Version %s: 400 that names the supported ones',
    async (version) => {
      const response = await post(server.url, list, { headers: { 'mcp-protocol-version': version } });
      expect([response.status, await response.json()]).toMatchObject([
        400,
        {
          id: 1,
          error: {
            code: -32022,
            data: {
              requested: version,
              supported: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'],
            },
          },
        },
      ]);
    },
  );
});

describe('bodies over the limit', () => {
  const tooLong = `${JSON.stringify(list)}${' '.repeat(4 * 1024 * 1024)}`;

  test('a declared length over 4 MiB: 413, before the body is read', async () => {
    const response = await post(server.url, tooLong);
    expect([response.status, await response.json()]).toMatchObject([
      413,
      { error: { message: 'the request body is larger than 4194304 bytes' } },
    ]);
  });

  test('a body without a length: 413 as soon as it is longer', async () => {
    const status = await new Promise((resolve, reject) => {
      const headers = {
        'content-type': 'application/json',
        authorization: 'Bearer alice-token',
        'transfer-encoding': 'chunked',
      };
      const sending = request(`${server.url}/.api/mcp`, { method: 'POST', headers }, (response) =>
        resolve(response.statusCode),
      );
      sending.on('error', reject);
      // Never ended: only a server that counts while it reads can answer.
      sending.write(tooLong);
    });
    expect(status).toBe(413);
  });

  test('4 MiB are allowed', async () => {
    const text = JSON.stringify(list);
    expect((await post(server.url, text.padEnd(4 * 1024 * 1024))).status).toBe(200);
  });
});

describe('tools that are not there', () => {
  const errorOf = async (message: object, path?: string): Promise<{ code: number; message: string }> => {
    const response = await post(server.url, message, path === undefined ? {} : { path });
    expect(response.status).toBe(200);
    return ((await response.json()) as { error: { code: number; message: string } }).error;
  };

  test('an unknown tool: -32602 that names the nearest and all', async () => {
    expect(await errorOf(call('read_line'))).toEqual({
      code: -32602,
      message: 'Unknown tool: read_line. Did you mean "read_lines"? /.api/mcp has missing, read_lines, steps.',
    });
  });

  test('a tool off its endpoint is unknown there', async () => {
    expect((await errorOf(call('whoami'))).message).toMatch(/^Unknown tool: whoami\./);
    expect((await errorOf(call('missing'), '/.api/mcp/review')).message).toBe(
      'Unknown tool: missing. /.api/mcp/review has read_lines.',
    );
    expect((await errorOf(call('read_lines'), '/.api/mcp/deepsearch')).message).toBe(
      'Unknown tool: read_lines. /.api/mcp/deepsearch has no tools.',
    );
  });

  test('an alias is known on /.api/mcp/v1 only', async () => {
    expect((await errorOf(call('sg_read_lines'), '/.api/mcp/all')).code).toBe(-32602);
    const response = await post(server.url, call('sg_read_lines', { path: 'a' }), { path: '/.api/mcp/v1' });
    expect(await response.json()).toMatchObject({ result: { structuredContent: { path: 'a' } } });
  });

  test('a disabled tool vanishes from every list, and a call to it is rejected', async () => {
    await using disabled = await startServer({ plugins: [tools], settings: { 'mcp.tools.disabled': ['read_lines'] } });
    for (const path of ['/.api/mcp', '/.api/mcp/all', '/.api/mcp/v1']) {
      expect(await (await post(disabled.url, list, { path })).text()).not.toContain('read_lines');
      const answer = await (await post(disabled.url, call('read_lines', { path: 'a' }), { path })).json();
      expect(answer).toMatchObject({
        error: { code: -32602, message: expect.stringMatching(/^Unknown tool: read_lines\./) },
      });
    }
  });

  test.each([
    [{ name: 7 }, 'tools/call needs "name", the name of a tool'],
    [{}, 'tools/call needs "name", the name of a tool'],
    [{ name: 'read_lines', arguments: [] }, '"arguments" must be an object'],
  ])('a call with the parameters %o: -32602', async (params, message) => {
    expect(await errorOf({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })).toEqual({ code: -32602, message });
  });

  test('an unknown method: -32601; an unknown cursor: -32602', async () => {
    expect((await errorOf({ jsonrpc: '2.0', id: 1, method: 'resources/list' })).code).toBe(-32601);
    expect((await errorOf({ ...list, params: { cursor: 'x' } })).code).toBe(-32602);
  });
});

describe('wrong arguments', () => {
  const resultOf = async (args: object): Promise<unknown> => {
    const answer = (await (await post(server.url, call('read_lines', args))).json()) as { result: unknown };
    return answer.result;
  };
  const refusal = (text: string): object => ({ isError: true, content: [{ type: 'text', text }] });

  test('are answered with a tool error that names the offending argument and the valid ones', async () => {
    const valid = 'Valid arguments: path (required), limit.';
    expect(await resultOf({})).toEqual(refusal(`Missing argument "path". ${valid}`));
    expect(await resultOf({ path: 7 })).toEqual(refusal(`Argument "path": expected a string, got a number. ${valid}`));
    expect(await resultOf({ path: 'a', limit: 201 })).toEqual(
      refusal(`Argument "limit": must be at most 200, got 201. ${valid}`),
    );
    expect(await resultOf({ path: 'a', limt: 1 })).toEqual(
      refusal(`Unknown argument "limt". Did you mean "limit"? ${valid}`),
    );
  });

  test('what a tool refuses is a result too, for the model to read', async () => {
    const answer = await (await post(server.url, call('missing'))).json();
    expect(answer).toMatchObject({ result: refusal('repository "x" does not exist; list_repos has the names') });
  });
});
