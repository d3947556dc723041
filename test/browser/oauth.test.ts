import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { auth } from '@modelcontextprotocol/sdk/client/auth.js';
import { temporaryFolder } from '@sextant/contracts/testing';
import { expect, test } from 'vitest';
import { AgentProvider } from '../../plugins/auth/oauth/src/testing/agent-provider.ts';
import { signIn, startBrowserTest } from './browser.ts';

/** Where a client on this computer waits for its code. */
async function startCallback(): Promise<AsyncDisposable & { at(url: URL): URL; codes: string[] }> {
  const codes: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    const code = new URL(url, 'http://127.0.0.1').searchParams.get('code');
    if (code !== null) codes.push(code);
    response.end('You can close this page.');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // A server that listens on TCP has such an address.
  const { port } = server.address() as AddressInfo;
  return {
    codes,
    // The client was registered with another port; loopback redirect URIs match any.
    at: (url) => {
      const asked = new URL(url);
      asked.searchParams.set('redirect_uri', `http://127.0.0.1:${port}/callback`);
      return asked;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('a person signs in, lets a client in, is not asked again, and removes it', async () => {
  using folder = temporaryFolder();
  await using running = await startBrowserTest(folder.path);
  await using callback = await startCallback();
  const page = await running.browser.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  const provider = new AgentProvider();
  expect(await auth(provider, { serverUrl: `${running.url}/.api/mcp` })).toBe('REDIRECT');
  const sentTo = callback.at(provider.sentTo ?? new URL(running.url));

  await page.goto(sentTo.href);
  await signIn(page);
  await page.getByRole('heading', { name: 'Let Agent in?' }).waitFor();
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.waitForURL('**/callback?**');
  expect(callback.codes).toHaveLength(1);

  await page.goto(sentTo.href);
  await page.waitForURL('**/callback?**');
  expect(callback.codes).toHaveLength(2);

  await page.context().clearCookies();
  await page.goto(sentTo.href);
  await signIn(page);
  await page.waitForURL('**/callback?**');
  expect(callback.codes).toHaveLength(3);

  await page.goto(`${running.url}/settings/authorizations`);
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByText('You have let no client in.').waitFor();
  await page.goto(sentTo.href);
  await page.getByRole('heading', { name: 'Let Agent in?' }).waitFor();
  expect(complaints).toEqual([]);
});

test('no page on which a person decides something stands in a frame of another site (clickjacking)', async () => {
  using folder = temporaryFolder();
  await using running = await startBrowserTest(folder.path);
  const page = await running.browser.newPage();
  const provider = new AgentProvider();
  await auth(provider, { serverUrl: `${running.url}/.api/mcp` });
  const sentTo = provider.sentTo ?? new URL(running.url);
  await page.goto(sentTo.href);
  await signIn(page);
  await page.getByRole('heading', { name: 'Let Agent in?' }).waitFor();
  const consent = new URL(page.url()).pathname;
  const targets = [
    sentTo.pathname + sentTo.search,
    consent,
    '/.auth/idp/oauth/device',
    '/settings/authorizations',
    '/sign-in/password',
    '/sign-in?choose',
    '/access-tokens',
    '/site-admin/oauth-clients',
  ];
  const frames = targets.flatMap((path) => {
    const url = (running.url + path).replaceAll('&', '&amp;');
    return [
      `<iframe src="${url}"></iframe>`,
      `<iframe src="${url}" sandbox="allow-forms allow-scripts allow-top-navigation"></iframe>`,
      `<object data="${url}"></object>`,
      `<embed src="${url}">`,
    ];
  });
  const server = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end(`<!doctype html>${frames.join('')}`),
  );
  await once(server.listen(0), 'listening');
  // A server that listens on TCP has such an address.
  const { port } = server.address() as AddressInfo;
  try {
    // Of one site with this server, so that the browser sends its cookies; and of another.
    for (const host of ['127.0.0.1', 'localhost']) {
      await page.goto(`http://${host}:${port}/`, { waitUntil: 'load' });
      const texts = await Promise.all(
        page
          .frames()
          .slice(1)
          .map((frame) => frame.evaluate('document.body?.innerText ?? ""')),
      );
      expect(texts.length).toBeGreaterThan(targets.length);
      expect(texts.filter((text) => /Let Agent in|Sign in|Code|Token|Client/i.test(String(text)))).toEqual([]);
      expect(page.frames().filter((frame) => frame.url().startsWith(running.url))).toEqual([]);
    }
    // The pages are there for who goes to them.
    await page.goto(running.url + consent);
    await page.getByRole('heading', { name: 'Let Agent in?' }).waitFor();
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});
