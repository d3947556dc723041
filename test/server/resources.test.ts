import { readFileSync } from 'node:fs';
import {
  Client as StatelessClient,
  StreamableHTTPClientTransport as StatelessTransport,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { post } from '../support/rpc.ts';
import { serveTwoRepositories } from './two-repositories.ts';
import type { TwoRepositories } from './two-repositories.ts';

let server: TwoRepositories;
beforeAll(async () => {
  server = await serveTwoRepositories();
});
afterAll(() => server[Symbol.asyncDispose]());

const info = { name: 'official', version: '1' };
const all = '/.api/mcp/all';
/** That of the pages. */
const icon = readFileSync(new URL('../../plugins/libraries/ui/src/assets/icon.svg', import.meta.url), 'utf8');

type Connected = Pick<
  Client,
  | 'listResources'
  | 'listResourceTemplates'
  | 'readResource'
  | 'listPrompts'
  | 'getPrompt'
  | 'complete'
  | 'getServerVersion'
  | 'getServerCapabilities'
  | 'close'
>;

async function connect(era: string): Promise<Connected> {
  const requestInit = { headers: { authorization: `Bearer ${server.aliceToken}` } };
  const endpoint = new URL(server.url + all);
  if (era === 'session') {
    const client = new Client(info);
    // The SDK's own types do not hold under exactOptionalPropertyTypes.
    await client.connect(
      new StreamableHTTPClientTransport(endpoint, { requestInit }) as Parameters<Client['connect']>[0],
    );
    return client;
  }
  const client = new StatelessClient(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(new StatelessTransport(endpoint, { requestInit }));
  // What is asked here has the same form in both SDKs.
  return client as unknown as Connected;
}

describe.each(['session', 'stateless'])('the official client of the %s era', (era) => {
  let client: Connected;
  beforeAll(async () => {
    client = await connect(era);
  });
  afterAll(() => client.close());

  test('learns who the server is, and what it has besides tools', () => {
    expect(client.getServerVersion()).toMatchObject({ name: 'sextant', description: expect.stringMatching(/\.$/) });
    const [first] = client.getServerVersion()?.icons ?? [];
    expect(first?.mimeType).toBe('image/svg+xml');
    expect(Buffer.from(first?.src.split(',')[1] ?? '', 'base64').toString()).toBe(icon);
    expect(client.getServerCapabilities()).toEqual({ tools: {}, resources: {}, prompts: {}, completions: {} });
  });

  test('reads a file by its URI, at the revision that it names', async () => {
    expect((await client.listResources()).resources).toEqual([]);
    const [template] = (await client.listResourceTemplates()).resourceTemplates;
    expect(template).toMatchObject({ name: 'file', uriTemplate: 'repo://{repo}@{revision}/{+path}' });
    const textOf = async (uri: string): Promise<unknown> => (await client.readResource({ uri })).contents;
    const content = { mimeType: 'text/plain', text: 'export const a = 2;\n' };
    expect(await textOf('repo://open@HEAD/src/a.ts')).toEqual([{ uri: 'repo://open@HEAD/src/a.ts', ...content }]);
    expect(await textOf('repo://open@refs%2Fheads%2Fmain~1/src/a.ts')).toMatchObject([
      { text: 'export const a = 1;\n' },
    ]);
  });

  test('is told of what is not there', async () => {
    const read = (uri: string): Promise<unknown> => client.readResource({ uri });
    await expect(read('repo://open@HEAD/src/b.ts')).rejects.toThrow('src/b.ts');
    await expect(read('file:///etc/passwd')).rejects.toThrow('/.api/mcp/all has repo://{repo}@{revision}/{+path}');
    await expect(read('repo://open@HEAD/../../../etc/passwd')).rejects.toThrow();
  });

  test('completes names of repositories, revisions and paths', async () => {
    const ref = { type: 'ref/resource', uri: 'repo://{repo}@{revision}/{+path}' } as const;
    const values = async (name: string, value: string, known: Record<string, string> = {}): Promise<string[]> =>
      (await client.complete({ ref, argument: { name, value }, context: { arguments: known } })).completion.values;
    expect(await values('repo', '')).toEqual(['open']);
    expect(await values('revision', 'v', { repo: 'open' })).toEqual(['v1']);
    expect(await values('path', 'src/', { repo: 'open', revision: 'HEAD' })).toEqual(['src/a.ts']);
    expect(await values('path', '', { repo: 'open', revision: 'HEAD' })).toEqual(['src/', 'README.md']);
    expect(await values('revision', '', { repo: 'secret' })).toEqual([]);
    expect(await values('path', '', {})).toEqual([]);
  });

  test('gets prompts that name tools of the endpoint', async () => {
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['explain_change', 'find_where', 'review_changes']);
    const { messages } = await client.getPrompt({
      name: 'review_changes',
      arguments: { repo: 'open', head: 'main' },
    });
    expect(messages).toEqual([
      {
        role: 'user',
        content: { type: 'text', text: expect.stringMatching(/^In the repository open, review .*main/) },
      },
    ]);
    await expect(client.getPrompt({ name: 'review_changes' })).rejects.toThrow('Missing argument "repo"');
    await expect(client.getPrompt({ name: 'review_change' })).rejects.toThrow('review_changes');
  });
});

const ask = (method: string, params: object, { path = all, token = server.aliceToken } = {}): Promise<Response> =>
  post(server.url, { jsonrpc: '2.0', id: 1, method, params }, { path, token });

test('a resource of a hidden repository is as one that does not exist', async () => {
  const read = async (repo: string, token?: string): Promise<string> =>
    (
      await ask('resources/read', { uri: `repo://${repo}@HEAD/src/a.ts` }, { ...(token !== undefined && { token }) })
    ).text();
  const [hidden, absent] = [await read('secret'), await read('absent')];
  expect(hidden.replaceAll('secret', 'absent')).toBe(absent);
  expect(absent).toContain('"code":-32002');
  expect(await read('secret', server.adminToken)).toContain('export const a = 2;');
});

test('an endpoint without the tools has neither their resources nor their prompts', async () => {
  const path = '/.api/mcp/deepsearch';
  for (const method of ['resources/templates/list', 'prompts/list', 'completion/complete'])
    expect(await (await ask(method, {}, { path })).json()).toMatchObject({ error: { code: -32601 } });
});

test.each([
  ['resources/read', {}],
  ['resources/read', { uri: 7 }],
  ['resources/read', { uri: 'repo://open@HEAD/100%' }],
  ['resources/list', { cursor: 'x' }],
  ['prompts/get', { name: 'find_where', arguments: 'all' }],
  ['completion/complete', { ref: { type: 'ref/resource', uri: 'x' }, argument: { name: 'a', value: '' } }],
  ['completion/complete', { ref: {} }],
])('%s with %j is refused as invalid', async (method, params) => {
  expect(await (await ask(method, params)).json()).toMatchObject({ error: { code: -32602 } });
});

test('each answer of the newest revision names the server, without its icon', async () => {
  const params = {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': info,
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  };
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'prompts/list' };
  const message = { jsonrpc: '2.0', id: 1, method: 'prompts/list', params };
  const response = await post(server.url, message, { path: all, token: server.aliceToken, headers });
  const text = await response.text();
  expect(text).toContain('"io.modelcontextprotocol/serverInfo":{"name":"sextant"');
  expect(text).not.toContain('data:image');
});
