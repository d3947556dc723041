import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { runTool } from '@sextant/core/testing';
import { ticket } from './index.ts';

test('a ticket is read with the token, and one that is not there is said to be missing', async () => {
  const server = createServer(({ url, headers }, response) => {
    const isThere = url === '/api/tickets/SHOP-1' && headers.authorization === 'Bearer secret';
    response.writeHead(isThere ? 200 : 404).end(JSON.stringify({ title: 'Carts are slow', state: 'open' }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const services = { plugin: { settings: { url: `http://127.0.0.1:${port}`, token: 'secret' } } };
  assert.equal((await runTool(ticket, { input: { id: 'SHOP-1' }, services })).text, 'Carts are slow (open)');
  await assert.rejects(runTool(ticket, { input: { id: 'SHOP-2' }, services }), { code: 'not_found' });
  server.closeAllConnections();
  server.close();
});
