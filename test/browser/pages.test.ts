import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectReadable, looks, startPagesTest } from './pages.ts';
import type { PagesTest } from './pages.ts';

let running: PagesTest;
beforeAll(async () => {
  running = await startPagesTest();
});
afterAll(() => running[Symbol.asyncDispose]());

/** Each page by a name for its screenshots. */
const pages = {
  home: '/',
  search: '/search',
  'search-files': '/search?q=cart',
  'search-question': '/search?q=how+are+items+counted&mode=natural',
  'search-reasons': '/search?q=cart+item&why=1',
  'search-commits': '/search?q=type:commit+cart',
  'search-changes': '/search?q=type:diff+length',
  'search-symbols': '/search?q=type:symbol+cart',
  'search-mistake': '/search?q=(cart+OR',
  'search-nothing': '/search?q=nowhere',
  folder: '/shop',
  blame: '/shop/-/blame/src/cart.ts?L3',
  code: '/shop/-/blob/src/cart.ts?L2-4',
  document: '/shop/-/blob/README.md',
  notebook: '/shop/-/blob/book.ipynb',
  image: '/shop/-/blob/logo.svg',
  'binary-file': '/shop@main~1/-/blob/data',
  commit: '/shop/-/commit/main',
  history: '/shop/-/commits/src',
  comparison: '/shop/-/compare/main~1...main',
  'comparison-in-two-columns': '/shop/-/compare/main~1...main?view=split',
  'comparison-to-choose': '/shop/-/compare/',
  branches: '/shop/-/refs/src/cart.ts',
  tags: '/shop/-/refs/?type=tag',
  symbol: '/shop/-/symbol/src/cart.ts?name=Cart',
  missing: '/nowhere/-/blob/a',
  'missing-file': '/shop/-/blob/src/nowhere.ts',
  tokens: '/access-tokens',
  deepsearch: '/deepsearch',
  admin: '/site-admin',
  users: '/site-admin/users',
  roles: '/site-admin/roles',
  plugins: '/site-admin/plugins',
  repositories: '/site-admin/repositories',
  user: '/site-admin/user?name=alice',
  access: '/site-admin/access?user=alice',
  'all-tokens': '/site-admin/tokens',
  sessions: '/site-admin/sessions',
  audit: '/site-admin/audit',
  configuration: '/site-admin/configuration',
} as const;

describe.each(looks)('every page, %s at %i px', (colorScheme, width) => {
  const options = { colorScheme, viewport: { width, height: 900 }, hasTouch: width === 390 };

  test('fits and keeps nobody from using it, for an administrator', { timeout: 300_000 }, async () => {
    await using opened = await running.open('admin', options);
    const { page, complaints } = opened;
    for (const [name, path] of Object.entries(pages)) {
      await page.goto(running.url + path, { waitUntil: 'networkidle' });
      await expectReadable(page, `${name}-${colorScheme}-${width}`);
    }
    expect(complaints.filter((text) => !text.includes('404'))).toEqual([]);
  });
});

test('a user sees what they may read, and nothing for administrators', async () => {
  await using opened = await running.open('alice');
  const { page } = opened;
  await page.goto(running.url);
  expect(await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allTextContents()).not.toContain(
    'Site admin',
  );
  await page.getByRole('link', { name: 'shop' }).click();
  await page.getByRole('link', { name: 'src' }).click();
  await page.getByRole('link', { name: 'cart.ts' }).click();
  await page.getByText('export class Cart').waitFor();
});

test('the theme of the system gives way to the one that a person chooses, on every page', async () => {
  await using opened = await running.open('alice', { colorScheme: 'light' });
  const { page, complaints } = opened;
  await page.goto(running.url);
  const background = 'getComputedStyle(document.body).backgroundColor';
  const light = await page.evaluate(background);
  await page.getByRole('button', { name: 'Theme: system' }).click();
  await page.getByRole('button', { name: 'Theme: light' }).click();
  await page.getByRole('button', { name: 'Theme: dark' }).waitFor();
  await page.goto(running.url + pages.search);
  expect(await page.evaluate(background)).not.toBe(light);
  await page.getByRole('button', { name: 'Theme: dark' }).click();
  expect(await page.evaluate(background)).toBe(light);
  expect(complaints).toEqual([]);
});

test('someone who is not signed in reads the first page, and is led to sign in by every other', async () => {
  await using opened = await running.open(undefined);
  const { page, complaints } = opened;
  await page.goto(running.url);
  await expectReadable(page, 'home-signed-out');
  expect(await page.content()).not.toContain('shop');
  for (const path of [pages.code, pages.search, pages.missing]) {
    await page.goto(running.url + path);
    expect(new URL(page.url()).pathname).toBe('/sign-in/password');
  }
  expect(complaints).toEqual([]);
});

test('a long name of a branch breaks neither its hash nor what can be done with it', async () => {
  await using opened = await running.open('alice');
  const { page } = opened;
  await page.goto(running.url + pages.branches);
  const row = page.getByRole('row').filter({ hasText: 'feature/' });
  await row.getByText('0 commits ahead, 1 behind').waitFor();
  for (const link of [row.getByRole('link', { name: /^[0-9a-f]{12}$/ }), row.getByRole('link', { name: 'Compare' })])
    expect((await link.boundingBox())?.height).toBeLessThan(30);
  await page.getByLabel('Part of the name').fill('NOBODY');
  await page.keyboard.press('Enter');
  await page.waitForURL('**name=NOBODY');
  expect(await page.getByRole('row').count()).toBe(2);
});

test('a document shows its HTML and the images of its repository', async () => {
  await using opened = await running.open('alice');
  const { page } = opened;
  await page.goto(running.url + pages.document);
  const width = 'document.querySelector(".prose img").naturalWidth';
  await expect.poll(() => page.evaluate(width)).toBeGreaterThan(0);
  await page.locator('.prose kbd').filter({ hasText: 'Enter' }).waitFor();
});

describe('in a file', () => {
  test('lines are chosen by clicks, and the address follows', async () => {
    await using opened = await running.open('alice', { permissions: ['clipboard-read', 'clipboard-write'] });
    const { page } = opened;
    await page.goto(`${running.url}/shop/-/blob/src/cart.ts`);
    await page.locator('#L2').click();
    await page.locator('#L4').click({ modifiers: ['Shift'] });
    await page.waitForURL(/cart\.ts\?L2-4$/);
    expect(await page.locator('.m').count()).toBe(3);
    await page.getByRole('button', { name: 'Copy link' }).click();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toMatch(/\/shop@[0-9a-f]{40}\/.*\?L2-4$/);
    await page.keyboard.press('y');
    await page.waitForURL(/shop@[0-9a-f]{40}\/-\/blob\/src\/cart\.ts\?L2-4$/);
    await page.reload();
    expect(await page.locator('.m').count()).toBe(3);
  });

  test('a name shows where it is defined and used, and Escape puts that away', async () => {
    await using opened = await running.open('alice');
    const { page } = opened;
    await page.goto(`${running.url}/shop/-/blob/src/uses.ts`, { waitUntil: 'networkidle' });
    await page.getByText('Cart', { exact: true }).last().click();
    const box = page.getByRole('dialog', { name: 'Definition and uses' });
    await box.getByRole('link', { name: 'src/cart.ts' }).first().waitFor();
    await page.keyboard.press('Escape');
    await box.waitFor({ state: 'hidden' });
  });

  test('a name that is looked for long opens its panel at once, and says when there is no answer', async () => {
    await using opened = await running.open('alice');
    const { page } = opened;
    const answer = Promise.withResolvers<void>();
    await page.route(/\/-\/symbol\/.*[?&]part=&/, async (route) => {
      await answer.promise;
      await route.fulfill({ status: 503 });
    });
    await page.goto(`${running.url}/shop/-/blob/src/uses.ts`, { waitUntil: 'networkidle' });
    const name = page.locator('.block').getByText('Cart', { exact: true }).last();
    await name.click();
    const panel = page.getByRole('dialog', { name: 'Definition and uses' });
    await panel.getByText('Looking for where it is defined').waitFor();
    await expectReadable(page, 'symbol-panel-waiting');
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'hidden' });
    answer.resolve();
    await name.click();
    await panel.getByText('The server has no answer now').waitFor();
    await panel.getByRole('button', { name: 'Close' }).click();
    await panel.waitFor({ state: 'hidden' });
  });

  test('a name that is pointed at says how it is declared', async () => {
    await using opened = await running.open('alice');
    const { page, complaints } = opened;
    await page.goto(`${running.url}/shop/-/blob/src/uses.ts`, { waitUntil: 'networkidle' });
    await page.getByText('Cart', { exact: true }).last().hover();
    const box = page.locator('.declaration');
    await box.getByText('class Cart').waitFor();
    await box.getByText('src/cart.ts:1').waitFor();
    await page.keyboard.press('Escape');
    await box.waitFor({ state: 'hidden' });
    expect(complaints).toEqual([]);
  });

  test('lines have a history of their own, which leads to them before a change', async () => {
    await using opened = await running.open('alice');
    const { page } = opened;
    await page.goto(`${running.url}/shop/-/blob/src/cart.ts`);
    await page.locator('#L2').click();
    await page.locator('#L3').click({ modifiers: ['Shift'] });
    await page.getByRole('link', { name: 'History', exact: true }).click();
    await page.getByRole('heading', { name: 'History of lines 2–3' }).waitFor();
    await page.getByRole('region', { name: 'Change the cart' }).getByText('length + 1').waitFor();
    await page.getByRole('region', { name: 'Begin' }).waitFor();
    await expectReadable(page, 'history-of-lines');
    await page.getByRole('link', { name: 'Before this change' }).first().click();
    await page.waitForURL(/shop@[0-9a-f]{40}\/-\/blame\/src\/cart\.ts\?L2$/);
  });

  test('the keys alone choose a line and a name, show its uses, go to another file and say what they do', async () => {
    await using opened = await running.open('alice');
    const { page, complaints } = opened;
    await page.goto(`${running.url}/shop/-/blob/src/uses.ts`, { waitUntil: 'networkidle' });
    await page.keyboard.press('j');
    await page.keyboard.press('s');
    await page.keyboard.press('Enter');
    const panel = page.getByRole('dialog', { name: 'Definition and uses' });
    await panel.getByRole('link', { name: 'src/cart.ts' }).first().waitFor();
    await expectReadable(page, 'symbol-panel');
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'hidden' });
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).getByText('Go to a file').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('t');
    await page.getByRole('combobox', { name: 'Part of a path' }).fill('cart');
    await page.getByRole('option', { name: /src\/cart\.ts/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/src/cart.ts');
    expect(complaints).toEqual([]);
  });

  test('a line that is chosen stays so in the blame of the file', async () => {
    await using opened = await running.open('alice');
    const { page } = opened;
    await page.goto(`${running.url}/shop/-/blob/src/cart.ts`);
    await page.locator('#L3').click();
    await page.getByRole('link', { name: 'Blame', exact: true }).click();
    await page.waitForURL('**/-/blame/src/cart.ts?L3');
  });

  test('who wrote a line is one step away, and the line before that change another', async () => {
    await using opened = await running.open('alice', { javaScriptEnabled: false });
    const { page } = opened;
    await page.goto(`${running.url}/shop/-/blob/src/cart.ts?L3`);
    await page.getByRole('link', { name: 'Blame' }).click();
    await page.getByRole('link', { name: 'Line 3 before this change' }).click();
    await page.waitForURL(/shop@[0-9a-f]{40}\/-\/blame\/src\/cart\.ts\?L3$/);
    await page.getByText('return item.length;').waitFor();
  });

  test('the tree beside a file opens other folders where they stand', async () => {
    await using opened = await running.open('alice');
    const { page } = opened;
    await page.goto(`${running.url}/shop/-/blob/README.md`);
    const tree = page.getByRole('navigation', { name: 'File tree' });
    await tree.getByRole('link', { name: 'src' }).click();
    await tree.getByRole('link', { name: 'uses.ts' }).click();
    await page.waitForURL('**/src/uses.ts');
  });

  test('of 50,000 lines any is reached by scrolling', async () => {
    await using opened = await running.open('alice');
    const { page, complaints } = opened;
    await page.goto(`${running.url}/shop/-/blob/src/long.ts`, { waitUntil: 'networkidle' });
    await page.evaluate('scrollTo(0, document.body.scrollHeight / 2)');
    await page.locator('.block').filter({ hasText: 'export const value25000 ' }).waitFor();
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await page.getByText('export const value50000 = 49999;').waitFor();
    await page.goto(`${running.url}/shop/-/blob/src/long.ts?L31000`);
    const top = 'document.getElementById("L31000").getBoundingClientRect().top';
    await expect.poll(() => page.evaluate(top)).toBeGreaterThan(0);
    expect(await page.evaluate(top)).toBeLessThan(900);
    expect(complaints).toEqual([]);
  });
});

test('results are gone through by the keyboard alone', async () => {
  await using opened = await running.open('alice');
  const { page } = opened;
  await page.goto(`${running.url}/access-tokens`);
  await page.goto(`${running.url}/search`);
  await page.locator('input[type=search]:focus').waitFor();
  await page.keyboard.type('new Cart');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/search?q=new+Cart**');
  await page.locator('[data-result]').first().waitFor();
  await page.locator('body').press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  expect(await page.evaluate('document.activeElement.hasAttribute("data-result")')).toBe(true);
  await page.keyboard.press('/');
  expect(await page.evaluate('document.activeElement.type')).toBe('search');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/-/blob/**');
});

describe('the box', () => {
  test('takes what is typed behind the filters that it begins with', async () => {
    await using opened = await running.open('alice');
    const { page } = opened;
    // The second time its script is there before the browser gives the box the focus.
    for (const word of ['cart', 'length']) {
      await page.goto(running.url + pages.folder);
      await page.getByRole('link', { name: 'Search here' }).click();
      await page.locator('input[type=search][role=combobox]:focus').waitFor();
      await page.keyboard.type(word);
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/search?q=repo%3A%5Eshop%24+${word}`);
    }
  });

  test('suggests filters, values, names and files, by the keyboard', async () => {
    await using opened = await running.open('alice');
    const { page, complaints } = opened;
    await page.goto(`${running.url}/search`);
    const box = page.getByRole('combobox', { name: 'Search' });
    const options = page.getByRole('option');
    await box.pressSequentially('typ');
    await options.filter({ hasText: 'type:' }).waitFor();
    // Also where only the list of the first letter is here: the word is completed from its own.
    await page.keyboard.press('Tab');
    await options.filter({ hasText: 'symbol' }).waitFor();
    // No list is under way that would take the place of this one.
    await page.waitForLoadState('networkidle');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    expect(await box.getAttribute('aria-activedescendant')).toBe('box-suggestions-1');
    await page.keyboard.press('Enter');
    expect(await box.inputValue()).toMatch(/^type:\w+ $/);
    await box.fill('Cart');
    await options.filter({ hasText: 'class' }).waitFor();
    await expectReadable(page, 'search-suggestions');
    await options.filter({ hasText: 'src/cart.ts' }).last().click();
    await page.waitForURL('**/-/blob/src/cart.ts**');
    expect(complaints).toEqual([]);
  });

  test('shows the file of a result below the page, and folds the lines of results', async () => {
    await using opened = await running.open('alice');
    const { page, complaints } = opened;
    await page.goto(`${running.url}/search?q=length`);
    await page.locator('[data-result]').first().waitFor();
    await page.getByRole('combobox').press('Escape');
    await page.keyboard.press('p');
    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.getByText('export class Cart').waitFor();
    await expectReadable(page, 'search-preview');
    await page.keyboard.press('Escape');
    await preview.waitFor({ state: 'detached' });
    const lines = page.locator('.found-file .code').first();
    await page.keyboard.press('x');
    await lines.waitFor({ state: 'hidden' });
    await page.keyboard.press('x');
    await lines.waitFor({ state: 'visible' });
    expect(complaints).toEqual([]);
  });

  test('remembers searches in this browser, and those that were saved longer', async () => {
    await using opened = await running.open('alice');
    const { page } = opened;
    await page.goto(`${running.url}/search?q=length`);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.goto(`${running.url}/search?q=export`);
    await page.goto(running.url + pages.folder);
    await page.keyboard.press('/');
    await page.getByRole('option', { name: /^Recent\s*export/ }).waitFor();
    await page.goto(`${running.url}/search?q=export`);
    await page.getByRole('combobox').fill('');
    await page.getByRole('option', { name: /^Recent\s*export/ }).waitFor();
    await page.getByRole('option', { name: /^Saved\s*length/ }).click();
    await page.waitForURL('**/search?q=length');
  });

  test('answers a question as one, and leads to the other reading and to a part of the results', async () => {
    await using opened = await running.open('alice', { javaScriptEnabled: false });
    const { page } = opened;
    await page.goto(`${running.url}/search?q=where+is+the+cart+used%3F`);
    await page.getByText('Answered as a question.').waitFor();
    await page.getByRole('link', { name: 'Search these words instead' }).click();
    await page.getByRole('link', { name: 'Answer as a question' }).waitFor();
    await page.goto(`${running.url}/search?q=cart`);
    await page
      .getByRole('region', { name: 'Languages' })
      .getByRole('link', { name: /^TypeScript/ })
      .click();
    await page.waitForURL(/lang%3Atypescript/);
    await page.getByRole('link', { name: 'src/cart.ts' }).waitFor();
  });
});

test('without JavaScript files, searches, comparisons and names are reached by links and forms', async () => {
  await using opened = await running.open('alice', { javaScriptEnabled: false });
  const { page } = opened;
  await page.goto(`${running.url}/shop/-/blob/src/long.ts`);
  await page.getByRole('link', { name: 'Next' }).click();
  await page.getByText('export const value1500 ').waitFor();
  await page.getByLabel('Go to line').fill('40000');
  await page.keyboard.press('Enter');
  await page.getByText('export const value40000 ').waitFor();
  await page.goto(`${running.url}/shop/-/blob/src/cart.ts`);
  await page.getByLabel('Look up a name of this file').fill('Cart');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Definition and uses of Cart' }).waitFor();
  await page.goto(`${running.url}/shop/-/compare/`);
  await page.getByLabel('From').fill('main~1');
  await page.getByLabel('to', { exact: true }).fill('main');
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByText('length + 1').waitFor();
  await page.goto(`${running.url}/search`);
  await page.getByRole('searchbox', { name: 'Search' }).fill('class Cart');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'src/cart.ts' }).click();
  await page.getByText('export class Cart').waitFor();
});

test('a script in a file of a repository never runs', async () => {
  await using opened = await running.open('admin');
  const { page } = opened;
  const dialogs: string[] = [];
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  await page.goto(`${running.url}/shop/-/raw/logo.svg`);
  await page.goto(`${running.url}/shop/-/blob/logo.svg`);
  expect(dialogs).toEqual([]);
});
