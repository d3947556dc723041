import { join } from 'node:path';
import { temporaryFolder } from '@sextant/contracts/testing';
import { expect, test } from 'vitest';
import { signIn, startBrowserTest } from './browser.ts';

test('an administrator names a client, changes where it may send people, and removes it', async () => {
  using folder = temporaryFolder();
  await using running = await startBrowserTest(folder.path);
  for (let index = 1; index <= 3; index += 1)
    await fetch(`${running.url}/.auth/idp/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: `Agent ${index}`, redirect_uris: ['http://127.0.0.1/cb'] }),
    });
  const page = await running.browser.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  const look = async (name: string): Promise<void> => {
    const kept = process.env['SCREENSHOTS'];
    for (const [colorScheme, width] of [
      ['light', 1280],
      ['dark', 390],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), name).toBeLessThanOrEqual(0);
      if (kept !== undefined)
        await page.screenshot({ path: join(kept, `${name}-${colorScheme}-${width}.png`), fullPage: true });
    }
  };

  await page.goto(`${running.url}/site-admin/oauth-clients`);
  await signIn(page);
  await page.getByLabel('Name').fill('Desk');
  await page.getByLabel('Redirect URIs').fill('http://desk.example/callback');
  await page.getByLabel('Confidential').check();
  await page.getByRole('button', { name: 'Create client' }).click();
  await page.getByText('redirectUris 1 must be https').waitFor();
  await page.getByLabel('Redirect URIs').fill('https://desk.example/callback');
  await page.getByRole('button', { name: 'Create client' }).click();
  expect(await page.locator('#new-secret').textContent()).toMatch(/^[\w-]{43}$/);
  await look('oauth-clients');

  await page.getByRole('link', { name: 'Edit Desk' }).click();
  await look('oauth-client');
  await page.getByLabel('Redirect URIs').fill('desk:/callback');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The client was changed.').waitFor();
  await page.getByText('desk:/callback').waitFor();

  await page.getByRole('link', { name: 'Edit Desk' }).click();
  await page.getByRole('button', { name: 'Remove client' }).click();
  await page.getByText('No client is named yet.').waitFor();
  await page.getByRole('button', { name: 'Remove Agent 2' }).click();
  await page.getByRole('button', { name: 'Remove Agent 2' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Remove Agent 3' }).waitFor();
  expect(complaints.filter((text) => !text.includes('400'))).toEqual([]);
});
