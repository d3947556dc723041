import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder } from '@sextant/contracts/testing';
import { expect, test } from 'vitest';
import { startUpstream, upstreamClient } from '../../plugins/auth/oidc/src/testing/upstream.ts';
import { startBrowserTest } from './browser.ts';

/** The provider must know the address of the server before it runs. */
async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // A server that listens on TCP has such an address.
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test('a person chooses the provider, says there who they are, comes back signed in, and signs out', async () => {
  using folder = temporaryFolder();
  const port = await freePort();
  await using upstream = await startUpstream(`http://127.0.0.1:${port}/sign-in/oidc/callback`);
  upstream.people.set('u-1', { preferred_username: 'ann', email: 'ann@acme.example', email_verified: true });
  const oidc = { issuer: upstream.issuer, ...upstreamClient, title: 'Sign in with Acme' };
  writeFileSync(join(folder.path, 'sextant.config.json'), JSON.stringify({ plugins: { 'auth-oidc': oidc } }));
  await using running = await startBrowserTest(folder.path, port);
  const page = await running.browser.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));

  await page.goto(`${running.url}/access-tokens`);
  await page.getByRole('link', { name: 'Sign in with Acme' }).click();
  await page.getByLabel('Subject').fill('u-1');
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.waitForURL('**/access-tokens');
  await page.getByText('ann', { exact: true }).first().waitFor();

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You are signed out.').waitFor();
  expect(complaints).toEqual([]);

  await page.context().clearCookies();
  await page.goto(`${running.url}/sign-in/oidc`);
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByText('The provider did not let you in (access_denied): nobody <b>you</b> know').waitFor();
  const kept = process.env['SCREENSHOTS'];
  if (kept !== undefined) await page.screenshot({ path: join(kept, 'oidc-refused.png'), fullPage: true });
  await page.getByRole('link', { name: 'Other ways to sign in' }).click();
  await page.getByRole('link', { name: 'Sign in with a password' }).waitFor();
  if (kept !== undefined) await page.screenshot({ path: join(kept, 'sign-in-choice.png'), fullPage: true });
});
