import { join } from 'node:path';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scipIndex } from '../../plugins/services/scip/src/testing/scip-index.ts';
import { loadPreset } from '../support/preset.ts';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

const names = ['service-git', 'service-search-index', 'service-symbols', 'service-scip', 'tool-go-to-definition'];
const load = 'scip-test npm shop 1 Store#load().';
const definition = [load, [1, 2, 6]] as const;
const use = [load, [0, 2, 6]] as const;
const index = scipIndex([
  { path: 'store.ts', definitions: [definition] },
  { path: 'use.ts', uses: [use] },
]);

const folder = temporaryFolder();
let server: TestServer;
beforeAll(async () => {
  const path = join(folder.path, 'shop');
  const files = {
    'store.ts': 'class Store {\n  load() {}\n}\n',
    'use.ts': 's.load();\n',
    'decoy.ts': 'function load() {}\n',
  };
  new RepositoryBuilder({ folder: path }).commit({ files });
  server = await startServer({
    plugins: (await loadPreset()).filter(({ name }) => names.includes(name)),
    configs: { 'service-git': { repositories: [{ path, name: 'shop' }] } },
    settings: { limits: { requestBytes: 2000 } },
  });
});
afterAll(async () => {
  await server.close();
  folder[Symbol.dispose]();
});

const upload = (body: BodyInit, { token = 'root-token', query = '?repo=shop&commit=main' } = {}): Promise<Response> =>
  fetch(`${server.url}/.api/scip/upload${query}`, {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${token}` },
  });

async function define(): Promise<unknown> {
  const call = { name: 'go_to_definition', arguments: { repo: 'shop', path: 'use.ts', symbol: 'load' } };
  const response = await fetch(`${server.url}/.api/mcp/all`, {
    method: 'POST',
    headers: { authorization: 'Bearer alice-token', 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }),
  });
  const { result } = (await response.json()) as { result: { structuredContent: unknown } };
  return result.structuredContent;
}

test('an uploaded index makes the answers of the tools precise', async () => {
  expect(await define()).toMatchObject({ precision: 'syntactic' });
  const padding = scipIndex([
    { path: 'other.ts', definitions: Array.from({ length: 200 }, () => definition) },
  ]).subarray(scipIndex([]).length);
  const response = await upload(Buffer.concat([index, padding]));
  expect(response.status).toBe(201);
  expect(await response.json()).toMatchObject({ repo: 'shop', indexer: 'scip-test', documents: 3 });
  const place = { repo: 'shop', file: 'store.ts', chunks: [{ startLine: 1, endLine: 2 }] };
  expect(await define()).toMatchObject({ precision: 'precise', fileBlocks: [place] });
});

test.each([
  ['without credentials', { token: 'none' }, index, 401, 'access token'],
  ['with a token for something else', { token: 'analyst-token' }, index, 403, 'scope "all"'],
  ['without the permission', { token: 'alice-token' }, index, 403, 'SCIP#UPLOAD'],
  ['without a commit', { query: '?repo=shop' }, index, 400, 'Missing parameter "commit"'],
  ['with an unknown parameter', { query: '?repo=shop&comit=main' }, index, 400, 'Did you mean "commit"?'],
  ['for a repository that is not there', { query: '?repo=nope&commit=main' }, index, 404, 'nope'],
  ['of what is no index', {}, Buffer.from('no index at all'), 400, 'no SCIP index'],
] as const)('an upload %s is refused', async (_how, options, body, status, text) => {
  const response = await upload(Buffer.from(body), options);
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining(text) } });
});
