import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPagesTest } from './pages.ts';
import type { PagesTest } from './pages.ts';

let running: PagesTest;
/** A code host that takes requests and says nothing. */
const silent = createServer((socket) => void waiting.push(socket.on('error', () => undefined)));
const waiting: Socket[] = [];

beforeAll(async () => {
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const { port } = silent.address() as AddressInfo;
  running = await startPagesTest(undefined, [{ url: `http://127.0.0.1:${port}/acme/late.git`, name: 'late' }]);
});
afterAll(async () => {
  await running[Symbol.asyncDispose]();
  silent.close();
});

test('an administrator makes a role, gives it to a new user and disables them', async () => {
  await using opened = await running.open('admin');
  const { page, complaints } = opened;
  await page.goto(`${running.url}/site-admin/roles`);
  const add = page.locator('section', { hasText: 'Add a role' });
  await add.getByLabel('Name').fill('agents');
  await add.getByLabel('MCP#ACCESS').check();
  await add.getByRole('button', { name: 'Add role' }).click();
  await page.getByText('The role was saved').waitFor();
  await page.getByRole('link', { name: 'Users' }).click();
  await page.getByLabel('Name', { exact: true }).fill('bob');
  await page.getByLabel('agents').last().check();
  await page.getByRole('button', { name: 'Add user' }).click();
  await page.getByText('The user was added').waitFor();
  await page.getByRole('button', { name: 'Disable bob' }).click();
  await page.getByRole('button', { name: 'Enable bob' }).waitFor();
  await page.getByRole('button', { name: 'Disable admin' }).click();
  await page.getByText('admin is the last site administrator').waitFor();
  await page.getByRole('link', { name: 'admin', exact: true }).click();
  await page.getByRole('heading', { name: '1 session' }).waitFor();
  await page.getByRole('link', { name: 'What they may read, and why' }).click();
  await page.getByText('site administrators read every repository').first().waitFor();
  await page.getByRole('link', { name: 'Audit log' }).click();
  for (const action of ['role.changed', 'user.added', 'user.disabled']) await page.getByText(action).first().waitFor();
  // The browser's own words on the form that was refused.
  expect(complaints.filter((text) => !text.includes('400'))).toEqual([]);
});

test('someone else is told that these pages are not for them', async () => {
  await using opened = await running.open('alice');
  const { page } = opened;
  expect(await page.getByRole('link', { name: 'Site admin' }).count()).toBe(0);
  const response = await page.goto(`${running.url}/site-admin/users`);
  expect(response?.status()).toBe(403);
});

test('the list of repositories renews itself while a clone goes on', async () => {
  await using opened = await running.open('admin');
  const { page, complaints } = opened;
  await page.goto(`${running.url}/site-admin/repositories`);
  await page.getByText('Cloning').waitFor();
  await page.getByText('1 in progress').waitFor();
  // Also after the list was renewed.
  await page.evaluate("document.getElementById('state').dataset.seen = ''");
  await page.locator('#state:not([data-seen])').waitFor();
  await page.getByLabel('Choose all on this page').check();
  await expect.poll(() => page.getByLabel('Choose late').isChecked()).toBe(true);
  await page.getByLabel('Choose all on this page').uncheck();
  await page.getByRole('heading', { name: 'Repositories' }).click();
  silent.close();
  for (const socket of waiting) socket.destroy();
  await page.getByRole('button', { name: 'Try again: late' }).waitFor();
  await page.getByRole('cell', { name: 'its host cannot be reached' }).first().waitFor();
  expect(complaints).toEqual([]);
});
