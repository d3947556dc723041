import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { temporaryFolder } from '@sextant/contracts/testing';
import { expect, it } from 'vitest';
import { isPublicHost } from './public-host.ts';
import { Browser } from '../testing/browser.ts';
import { begin } from '../testing/client.ts';
import { startOAuth } from '../testing/start-oauth.ts';

it.each([
  '127.0.0.1',
  '127.1.2.3',
  '10.1.2.3',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '0.0.0.0',
  '255.255.255.255',
  '[::1]',
  '[::]',
  '[fe80::1]',
  '[fd00::1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:a00:1]',
  '[64:ff9b::7f00:1]',
  'localhost',
])('%s is not public', async (host) => {
  expect(await isPublicHost(host)).toBe(false);
});

it.each(['1.1.1.1', '172.32.0.1', '[2606:4700:4700::1111]', '[::ffff:1.1.1.1]'])('%s is public', async (host) => {
  expect(await isPublicHost(host)).toBe(true);
});

it('a client-id metadata document on this machine is not even asked for', async () => {
  using folder = temporaryFolder();
  await using server = await startOAuth(folder.path);
  let connections = 0;
  const listener = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  // A server that listens on TCP has such an address.
  const { port } = listener.address() as AddressInfo;
  for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]']) {
    const { response } = await new Browser(server).open(begin(`https://${host}:${port}/metadata`).url);
    expect(response.status).toBe(400);
  }
  listener.close();
  expect(connections).toBe(0);
});
