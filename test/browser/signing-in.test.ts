import { createServer } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { temporaryFolder } from '@sextant/contracts/testing';
import type { TemporaryFolder } from '@sextant/contracts/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signIn, startBrowserTest } from './browser.ts';
import type { BrowserTest } from './browser.ts';

let folder: TemporaryFolder;
let running: BrowserTest;
beforeAll(async () => {
  folder = temporaryFolder();
  running = await startBrowserTest(folder.path);
});
afterAll(async () => {
  await running[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

/** A browser of its own, and what it complains of. */
async function open(options: object = {}): Promise<{ page: Page; complaints: string[] } & AsyncDisposable> {
  const context = await running.browser.newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
}

const tokenIn = async (page: Page): Promise<string> => (await page.locator('#new-token').textContent()) ?? '';

const call = async (token: string): Promise<number> =>
  (
    await fetch(`${running.url}/.api/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    })
  ).status;

describe('a person', () => {
  test('is led to sign in and back, creates a token, copies it, revokes it and signs out', async () => {
    await using opened = await open({ permissions: ['clipboard-read', 'clipboard-write'] });
    const { page, complaints } = opened;
    await page.goto(`${running.url}/access-tokens`);
    expect(new URL(page.url()).pathname).toBe('/sign-in/password');
    await signIn(page);
    await page.waitForURL('**/access-tokens');

    await page.getByLabel('Name').fill('laptop');
    await page.getByRole('button', { name: 'Create token' }).click();
    const token = await tokenIn(page);
    expect([token, await call(token)]).toEqual([expect.stringMatching(/^sxt_[0-9a-f]{40}$/), 200]);
    await page.getByRole('button', { name: 'Copy token' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(token);

    await page.getByRole('button', { name: 'Revoke laptop' }).click();
    await page.getByRole('button', { name: 'Revoke laptop' }).waitFor({ state: 'detached' });
    expect(await call(token)).toBe(401);

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.goto(`${running.url}/access-tokens`);
    expect(new URL(page.url()).pathname).toBe('/sign-in/password');
    expect(complaints).toEqual([]);
  });

  test('does the same without JavaScript', async () => {
    await using opened = await open({ javaScriptEnabled: false });
    const { page } = opened;
    await page.goto(`${running.url}/access-tokens`);
    await signIn(page);
    await page.getByRole('button', { name: 'Create token' }).click();
    expect(await tokenIn(page)).toMatch(/^sxt_/);
    expect(await page.getByRole('button', { name: 'Copy token' }).count()).toBe(0);
  });

  test.each([
    ['light', 1280],
    ['light', 390],
    ['dark', 1280],
    ['dark', 390],
  ] as const)('sees pages that fit, %s at %i px', async (colorScheme, width) => {
    await using opened = await open({ colorScheme, viewport: { width, height: 800 }, hasTouch: width === 390 });
    const { page } = opened;
    const look = async (name: string): Promise<void> => {
      const overflow = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      expect(overflow, name).toBe(0);
      const kept = process.env['SCREENSHOTS'];
      if (kept !== undefined)
        await page.screenshot({ path: join(kept, `${name}-${colorScheme}-${width}.png`), fullPage: true });
    };
    await page.goto(`${running.url}/sign-in/password?return=/access-tokens`);
    await look('sign-in');
    await signIn(page);
    await page.getByLabel('Name').fill(`screen ${colorScheme} ${width}`);
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.locator('#new-token').waitFor();
    await look('access-tokens');
    await page.goto(`${running.url}/sign-in`);
    await look('signed-in');
  });
});

describe('a hostile page in the browser of someone who is signed in', () => {
  test('neither acts in their name nor frames a page, from another site or another port', async () => {
    await using opened = await open();
    const { page } = opened;
    await page.goto(`${running.url}/access-tokens`);
    await signIn(page);
    await page.waitForURL('**/access-tokens');
    const rows = async (): Promise<number> => {
      await page.goto(`${running.url}/access-tokens`);
      return page.getByRole('row').count();
    };
    const before = await rows();
    await using hostile = await serve(attackOn(running.url));
    for (const origin of [`http://localhost:${hostile.port}`, `http://127.0.0.1:${hostile.port}`]) {
      await page.goto(origin);
      await page.waitForFunction('window.attacked');
      expect(await page.evaluate('window.attacked'), origin).toEqual({ api: 'refused', mcp: 'refused' });
      expect(
        page.frames().some((frame) => frame.url().startsWith(running.url)),
        'framed',
      ).toBe(false);
      await page.getByRole('button', { name: 'Win a prize' }).click();
      await page.waitForURL(`${running.url}/access-tokens`);
      expect(await page.content()).not.toContain('sxt_');
    }
    expect(await rows()).toBe(before);
  });
});

/** A page that tries what a page of another origin can try. */
const attackOn = (url: string): string => `<!doctype html>
  <iframe src="${url}/access-tokens"></iframe>
  <form method="post" action="${url}/access-tokens">
    <input name="scope" value="all"><input name="expires" value="never"><button>Win a prize</button>
  </form>
  <script>
    const send = (path, body) => fetch('${url}' + path, { method: 'POST', credentials: 'include', mode: 'no-cors', body });
    const read = (path, body) => fetch('${url}' + path, { method: 'POST', credentials: 'include', body })
      .then((response) => response.ok ? 'done' : 'refused', () => 'refused');
    (async () => {
      await send('/api/access-tokens', '{"name":"stolen"}').catch(() => {});
      const api = await read('/api/access-tokens', '{"name":"stolen"}');
      const mcp = await read('/.api/mcp', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
      window.attacked = { api, mcp };
    })();
  </script>`;

async function serve(text: string): Promise<{ port: number } & AsyncDisposable> {
  const server = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(text));
  await once(server.listen(0), 'listening');
  const address = server.address();
  return {
    port: address !== null && typeof address === 'object' ? address.port : 0,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
