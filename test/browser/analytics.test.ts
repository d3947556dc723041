import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@sextant/contracts/testing';
import type { TemporaryFolder } from '@sextant/contracts/testing';
import { CallRecorder } from '@sextant/core';
import { startPlugins } from '@sextant/core/testing';
import axe from 'axe-core';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadPreset } from '../support/preset.ts';
import { signIn, startBrowserTest } from './browser.ts';
import type { BrowserTest } from './browser.ts';

let folder: TemporaryFolder;
let running: BrowserTest;
beforeAll(async () => {
  folder = temporaryFolder();
  const data = join(folder.path, 'data');
  mkdirSync(data);
  await recordWeeks(data);
  running = await startBrowserTest(folder.path);
});
afterAll(async () => {
  await running[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

/** Six weeks of calls of the administrator, more on days in the middle of a week. */
async function recordWeeks(data: string): Promise<void> {
  const needed = /^service-(sqlite|directory|usage)$/;
  const plugins = (await loadPreset()).filter(({ name }) => needed.test(name));
  await using started = await startPlugins(
    data,
    plugins.map((plugin) => [plugin]),
  );
  const { recorder } = started.services.resolve({ recorder: CallRecorder });
  const tools = [
    'keyword_search',
    'read_file',
    'nls_search',
    'go_to_definition',
    'list_files',
    'diff_search',
    'list_refs',
  ];
  for (let call = 0; call < 1500; call += 1) {
    const startedAt = Date.now() - ((call * 5) % 42) * 86_400_000;
    recorder.record({
      kind: 'tool',
      name: tools[Math.floor((call % 28) ** 0.6) % tools.length] ?? '',
      endpoint: '/.api/mcp',
      userId: 1,
      clientName: ['claude-code', 'cursor', 'vscode'][Math.floor((call % 9) / 4)],
      files: [['a.ts', 'a.go', 'a.py'][call % 3] ?? ''],
      startedAt,
      milliseconds: 20 + (call % 90),
      outcome: call % 31 === 0 ? 'not_found' : 'ok',
      credits: 0,
    });
  }
}

async function open(options: object = {}): Promise<{ page: Page; complaints: string[] } & AsyncDisposable> {
  const context = await running.browser.newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`${running.url}/analytics`);
  await signIn(page);
  await page.waitForURL('**/analytics');
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
}

test('a person chooses a period and spans without JavaScript, and downloads what is shown', async () => {
  await using opened = await open({ javaScriptEnabled: false, acceptDownloads: true });
  const { page } = opened;
  await page.getByRole('link', { name: '7 days' }).click();
  await page.getByText('What everyone did').waitFor();
  await page.getByRole('combobox', { name: 'By' }).selectOption('week');
  await page.getByRole('button', { name: 'Show' }).click();
  await page.waitForURL((url) => url.searchParams.get('span') === 'week');
  await page.getByText('Numbers').first().click();
  await page
    .getByRole('rowheader', { name: /^\d{4}-\d\d-\d\d$/ })
    .first()
    .waitFor();
  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: 'By user and day, CSV' }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe('by-user-client-date.csv');
  expect(await download.failure()).toBeNull();
});

test('a pointer shows the numbers of a day in every chart, and draws a period; a legend narrows the page', async () => {
  await using opened = await open({ viewport: { width: 1280, height: 1200 } });
  const { page, complaints } = opened;
  // The script has run.
  const hint = page.locator('.hint');
  await hint.waitFor({ state: 'attached' });
  const chart = page.getByRole('img', { name: 'Calls by tool' });
  const box = await chart.boundingBox();
  if (!box) throw new Error('the chart is not shown');
  const at = (share: number): [number, number] => [box.x + box.width * share, box.y + box.height / 2];
  await page.mouse.move(...at(0.5));
  await hint.getByText('list_refs').waitFor();
  expect(await page.locator('.cursor:visible').count()).toBeGreaterThan(3);
  await page.mouse.down();
  await page.mouse.move(...at(0.7));
  await page.mouse.up();
  await page.waitForURL((url) => url.searchParams.has('startDate') && url.searchParams.has('endDate'));
  await page.locator('.legend').getByRole('link', { name: 'diff_search' }).click();
  await page.getByRole('link', { name: 'Remove tool diff_search' }).waitFor();
  expect(new URL(page.url()).searchParams.get('startDate')).not.toBeNull();
  expect(complaints).toEqual([]);
});

test.each([
  ['light', 1280],
  ['light', 390],
  ['dark', 1280],
  ['dark', 390],
] as const)('the page fits and can be read by everyone, %s at %i px', async (colorScheme, width) => {
  await using opened = await open({ colorScheme, viewport: { width, height: 800 }, hasTouch: width === 390 });
  const { page, complaints } = opened;
  expect(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBe(0);
  expect(await page.getByRole('img', { name: 'Calls by tool' }).count()).toBe(1);
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run()')) as AxeResults;
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
  expect(complaints).toEqual([]);
  const kept = process.env['SCREENSHOTS'];
  if (kept !== undefined)
    await page.screenshot({ path: join(kept, `analytics-${colorScheme}-${width}.png`), fullPage: true });
});
