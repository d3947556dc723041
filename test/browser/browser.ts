import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';
import { start } from '../../host/src/testing/run-sextant.ts';

export const password = 'correct horse battery';

export interface BrowserTest extends AsyncDisposable {
  readonly url: string;
  readonly browser: Browser;
}

/** The program on a free port with one repository, whose administrator has a password, and a real Chromium. */
export async function startBrowserTest(folder: string, port = 0): Promise<BrowserTest> {
  const repository = join(folder, 'shop');
  mkdirSync(repository);
  spawnSync('git', ['init', '--quiet', '--bare', repository]);
  const data = ['--data', join(folder, 'data')];
  await start(['user', 'password', 'admin', ...data], { cwd: folder, input: `${password}\n` }).ended;
  const server = start(['serve', '--repos', repository, '--port', String(port), ...data], { cwd: folder });
  const [, url = ''] = await server.untilWritten('stdout', /Sextant serves (\S+)/);
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    // Containers give tests no user namespaces; the pages are our own.
    args: ['--no-sandbox'],
  });
  return {
    url,
    browser,
    [Symbol.asyncDispose]: async () => {
      await browser.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** What a person does on the page to sign in. */
export async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Name').fill('admin');
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
}
