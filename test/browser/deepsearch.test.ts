import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectReadable, startPagesTest } from './pages.ts';
import type { PagesTest } from './pages.ts';

let running: PagesTest;
beforeAll(async () => {
  running = await startPagesTest();
});
afterAll(() => running[Symbol.asyncDispose]());

const question = 'In shop: how does Cart add an item?';

test('a person asks, watches, reads the answer with its sources, follows up, shares and deletes', async () => {
  await using opened = await running.open('alice');
  const { page, complaints } = opened;
  await page.goto(`${running.url}/deepsearch`);
  await page.getByLabel('Question').fill(question);
  await page.keyboard.press('Control+Enter');
  await page.waitForURL(/\/deepsearch\/[\w-]{32}$/);
  const sources = page.getByRole('complementary', { name: 'Sources' });
  await sources.getByRole('link', { name: 'src/cart.ts' }).first().waitFor();
  await expectReadable(page, 'deepsearch-answer');

  await page.getByRole('link', { name: 'Source 1' }).first().click();
  await sources.getByRole('group', { name: 'Lines of src/cart.ts' }).first().waitFor();
  await page.getByText('Did this help?').waitFor();
  await page.getByText('No', { exact: true }).click();
  await page.getByLabel('What is wrong or missing?').fill('It names no caller.');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('You rated this answer as bad.').waitFor();
  await expectReadable(page, 'deepsearch-rated');

  await page.getByLabel('Next question').fill('And who uses it?');
  await page.getByRole('button', { name: 'Ask' }).click();
  await page.getByText('Answered').nth(1).waitFor();
  await page.getByRole('button', { name: 'Share with everyone who is signed in' }).click();
  const shared = (await page.locator('#shared-link').textContent()) ?? '';
  expect(complaints).toEqual([]);

  await using other = await running.open('admin');
  await other.page.goto(shared);
  await other.page.getByText('And who uses it?').waitFor();
  expect(await other.page.getByRole('button', { name: 'Ask' }).count()).toBe(0);
  await other.page.goto(`${running.url}/deepsearch/feedback`);
  await other.page.getByText('It names no caller.').waitFor();
  await expectReadable(other.page, 'deepsearch-feedback');
  await other.page.goto(shared);

  await page.goto(`${running.url}/deepsearch`);
  await page.getByRole('link', { name: question }).click();
  await page.getByText('Delete this conversation').click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('You have not asked anything yet.').waitFor();
  expect((await other.page.reload())?.status()).toBe(404);
});

test('without JavaScript a question is asked and its answer read after a reload', async () => {
  await using opened = await running.open('alice', { javaScriptEnabled: false });
  const { page } = opened;
  await page.goto(`${running.url}/deepsearch`);
  await page.getByLabel('Question').fill(question);
  await page.getByRole('button', { name: 'Ask' }).click();
  await expect
    .poll(async () => {
      await page.reload();
      return page.getByText('Answered').count();
    })
    .toBe(1);
});
