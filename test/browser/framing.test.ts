import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { startPagesTest } from './pages.ts';

const paths = [
  '/',
  '/access-tokens',
  '/search?q=Cart',
  '/shop/-/blob/src/cart.ts',
  '/shop/-/raw/logo.svg',
  '/sign-in/password',
  '/sign-out',
  '/nothing/here',
  '/.auth/idp/oauth/authorize?client_id=x',
  '/healthz',
];

/** A site that puts every page of the server into a frame, as to have a person click what they do not see. */
async function startFramingSite(target: string): Promise<AsyncDisposable & { readonly url: string }> {
  const frames = paths.map((path) => `<iframe src="${target}${path.replaceAll('&', '&amp;')}"></iframe>`);
  const server = createServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html>${frames.join('\n')}`),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // A server that listens on TCP has such an address.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://localhost:${port}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

// Signed in by a cookie of the same site: another port of the machine is another origin of it, so that the cookie is sent.
test.each(['127.0.0.1', 'localhost'])(
  'a page of another origin (%s) shows no page of the server in a frame',
  async (host) => {
    await using running = await startPagesTest();
    await using site = await startFramingSite(running.url);
    await using opened = await running.open('alice');
    const { page, complaints } = opened;
    await page.goto(site.url.replace('localhost', host), { waitUntil: 'load' });
    const frames = page.frames().filter((frame) => frame !== page.mainFrame());
    expect(frames).toHaveLength(paths.length);
    // Chromium shows a page of its own where framing is refused; a frame may still change to it.
    const shown = (): string[] => frames.map((frame) => frame.url());
    await expect.poll(shown).toEqual(paths.map(() => 'chrome-error://chromewebdata/'));
    const refused = (): string[] => complaints.filter((text) => text.includes('frame-ancestors'));
    await expect.poll(refused).toHaveLength(paths.length);
  },
);
