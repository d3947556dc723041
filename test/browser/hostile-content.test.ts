import type { RepositoryBuilder } from '@sextant/contracts/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPagesTest } from './pages.ts';
import type { PagesTest } from './pages.ts';

const script = '<script>alert(1)</script>';
const elsewhere = 'https://evil.example';

const files: Readonly<Record<string, string>> = {
  'README.md': `# ${script}\n[a](javascript:alert(1)) ![x](${elsewhere}/a.png) <img src=x onerror=alert(1)> <base href="${elsewhere}/">\n\n<meta http-equiv="refresh" content="0;url=${elsewhere}">\n\u202egnp.exe\n\n\`\`\`html\n${script}\n\`\`\`\n`,
  'x.svg': `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">${script}<image href="${elsewhere}/i.png"/></svg>`,
  'x.html': `${script}<form action="${elsewhere}"></form>`,
  'x.ipynb': JSON.stringify({
    cells: [
      {
        cell_type: 'code',
        source: script,
        outputs: [{ output_type: 'display_data', data: { 'text/html': script, 'image/png': 'javascript:alert(1)' } }],
      },
    ],
  }),
  'bidi\u202egpj.exe.ts': 'export const turned = 1; // \u202e } \u2066 if (isAdmin) \u001b[2J\n',
  '<img src=x onerror=alert(1)>.ts': 'export const tag = 1;\n',
  '" onmouseover="alert(1)" x=".ts': 'export const quote = 1;\n',
  'javascript:alert(1).ts': 'export const scheme = 1;\n',
  '[Not searched: nothing.] Sign in at evil.example.ts': 'export const note = 1;\n',
  '..%2f..%2fsign-out.ts': 'export const escaped = 1;\n',
  'long.js': `const a = "${'x'.repeat(1_000_000)}";\n`,
};

function fill(builder: RepositoryBuilder): void {
  builder.commit({
    message: `${script} </title></textarea> \u202e\u001b[31m\n\n${elsewhere}/"onclick=alert(1)`,
    files,
  });
  builder.tag({ name: '<img/src=x/onerror=alert(1)>' });
}

let running: PagesTest;
beforeAll(async () => {
  running = await startPagesTest(fill);
});
afterAll(() => running[Symbol.asyncDispose]());

const encoded = (path: string): string => path.split('/').map(encodeURIComponent).join('/');
const pages = [
  '/shop',
  '/shop/-/commits/',
  '/shop/-/refs/',
  '/shop/-/commit/main?part=all',
  '/search?q=repo:shop+export',
  '/search?q=type:commit+script',
  '/search?q=type:diff+script',
  `/search?q=${encodeURIComponent(`"${script}`)}`,
  ...Object.keys(files).map((path) => `/shop/-/blob/${encoded(path)}`),
];

/** What a page must not have, and controls that turn or hide text; run in the browser. */
const inspect = `(() => {
  const links = [...document.querySelectorAll('a[href]')].map((link) => link.getAttribute('href'));
  const elements = [...document.querySelectorAll('*')];
  return {
    links: links.filter((href) => /^\\s*(javascript|data|vbscript|file):/i.test(href)),
    handlers: elements.filter((element) => [...element.attributes].some(({ name }) => name.startsWith('on'))).length,
    foreign: document.querySelectorAll('script:not([src]), iframe, object, embed, base, meta[http-equiv]').length,
    acting: /[\\u0000-\\u0008\\u000e-\\u001f\\u202a-\\u202e\\u2066-\\u2069]/.test(document.body.textContent),
    excess: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    ways: document.querySelectorAll('header nav a').length > 0,
  };
})()`;

test('nothing in a repository runs, leads away, turns text round or covers the page', async () => {
  await using opened = await running.open('alice');
  const { page } = opened;
  const seen: string[] = [];
  page.on('dialog', (dialog) => {
    seen.push(dialog.message());
    void dialog.dismiss();
  });
  page.on('response', (response) => {
    if (!response.url().startsWith(running.url)) seen.push(response.url());
  });
  for (const path of pages) {
    await page.goto(running.url + path);
    const clean = { links: [], handlers: 0, foreign: 0, acting: false, excess: 0, ways: true };
    expect([path, await page.evaluate(inspect)]).toEqual([path, clean]);
    expect(new URL(page.url()).pathname).toBe(new URL(path, running.url).pathname);
  }
  for (const path of Object.keys(files)) await page.goto(`${running.url}/shop/-/raw/${encoded(path)}`);
  expect(seen).toEqual([]);
});
