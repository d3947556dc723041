import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import type { SourceType } from '@sextant/contracts';
import { silentLogger } from '@sextant/core';
import plugin from './index.ts';

test('the repositories of the document are listed', async () => {
  const shop = { path: 'acme/shop', cloneURL: 'http://127.0.0.1/acme/shop.git', changed: '2026-01-01T00:00:00Z' };
  const server = createServer((_request, response) => response.end(JSON.stringify([shop]))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  const [type] = plugin.contributions.map(({ value }) => value as SourceType);
  const source = type?.open(
    { url: `http://127.0.0.1:${address.port}/list.json` },
    { log: silentLogger, permissions: 'none' },
  );
  assert.ok(source);
  const paths: string[] = [];
  for await (const page of source.list(new AbortController().signal)) paths.push(...page.map(({ path }) => path));
  assert.deepEqual(paths, ['acme/shop']);
  server.closeAllConnections();
  server.close();
});
