import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import axe from 'axe-core';
import type { AxeResults } from 'axe-core';
import { chromium } from 'playwright-core';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { start } from '../../host/src/testing/run-sextant.ts';

const password = 'correct horse battery';

export interface OpenedPage extends AsyncDisposable {
  readonly page: Page;
  /** What the browser complains of. */
  readonly complaints: string[];
}

export interface PagesTest extends AsyncDisposable {
  readonly url: string;
  /** A browser of its own, in which someone is signed in. */
  open(who: 'admin' | 'alice' | undefined, options?: BrowserContextOptions): Promise<OpenedPage>;
}

/** The program over a repository with files of every kind, and over others, and a Chromium with someone signed in. */
export async function startPagesTest(fill = fillShop, others: readonly object[] = []): Promise<PagesTest> {
  const folder = temporaryFolder();
  fill(new RepositoryBuilder({ folder: join(folder.path, 'shop') }));
  const config = join(folder.path, 'sextant.config.json');
  writeFileSync(
    config,
    JSON.stringify({ repositories: [{ path: 'shop' }, ...others], users: [{ name: 'alice' }], logLevel: 'warn' }),
  );
  const options = { cwd: folder.path, input: `${password}\n` };
  for (const name of ['admin', 'alice']) await start(['user', 'password', name, '--config', config], options).ended;
  const server = start(['serve', '--config', config, '--port', '0'], { cwd: folder.path });
  const [, url = ''] = await server.untilWritten('stdout', /Sextant serves (\S+)/);
  const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  return {
    url,
    async open(who, options = {}) {
      const context = await browser.newContext(options);
      const page = await context.newPage();
      if (who !== undefined) await signIn(page, url, who);
      const complaints: string[] = [];
      page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(error.message));
      return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
    },
    [Symbol.asyncDispose]: async () => {
      await browser.close();
      await server[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

async function signIn(page: Page, url: string, who: string): Promise<void> {
  await page.goto(`${url}/sign-in/password?return=/access-tokens`);
  await page.getByLabel('Name').fill(who);
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  await page.waitForURL(`${url}/access-tokens`);
}

/** How pages are looked at: by day and by night, at a desk and on a phone. */
export const looks = [
  ['light', 1280],
  ['light', 390],
  ['dark', 1024],
  ['dark', 390],
] as const;

/** Fits its width, and axe finds nothing that keeps someone from using it. With SCREENSHOTS it is kept as a picture. */
export async function expectReadable(page: Page, name: string): Promise<void> {
  const excess = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  expect(excess, `${name} is wider than the screen`).toBe(0);
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run()')) as AxeResults;
  const found = violations.map(({ id, nodes }) => [
    id,
    nodes.map(({ html, failureSummary }) => [html, failureSummary]),
  ]);
  expect.soft(found, name).toEqual([]);
  const folder = process.env['SCREENSHOTS'];
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

function fillShop(builder: RepositoryBuilder): void {
  const cart =
    'export class Cart {\n  add(item: string): number {\n    return item.length; // count\n  }\n}\n\nnew Cart().add("<b>");\n';
  const document =
    '# Guide\n\n<p align="center"><img src="logo.svg" width="40"> <kbd>Enter</kbd></p>\n\nSee [the cart](src/cart.ts).\n\n```ts\nconst a = 1;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n';
  const notebook = {
    cells: [
      { cell_type: 'code', execution_count: 1, source: 'print(1)', outputs: [{ output_type: 'stream', text: '1' }] },
    ],
  };
  builder.commit({
    message: 'Begin\n\nWith everything.',
    files: {
      'README.md': document,
      'src/cart.ts': cart,
      'src/uses.ts': "import { Cart } from './cart.ts';\nexport const cart = new Cart();\n",
      'src/long.ts': Array.from({ length: 50_000 }, (_, index) => `export const value${index + 1} = ${index};`).join(
        '\n',
      ),
      'book.ipynb': JSON.stringify(notebook),
      'logo.svg':
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><script>alert(1)</script><circle cx="4" cy="4" r="4"/></svg>',
      data: Buffer.from([0, 1]),
      'odd/100% #1?.txt': 'odd\n',
    },
  });
  builder.commit({
    message: 'Change the cart',
    files: { 'src/cart.ts': cart.replace('length', 'length + 1'), data: null },
  });
  builder.tag({ name: 'v1' });
  builder.git('branch', `feature/${'a-name-that-nobody-would-choose-'.repeat(5)}`, 'HEAD~1');
}
