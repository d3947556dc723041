import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browse } from './testing/open-page.ts';
import type { Browsed } from './testing/open-page.ts';

const document = String.raw`# Guide & more
## Guide & more
[a](../src/a.ts) [b](/src/a.ts#L3-L9) [c](https://example.com/x) [d](javascript:alert(1)) [e](JaVaScRiPt:alert(1))
[f](data:text/html,x) [g](//evil.example.com) [h](../../../etc/passwd) [i](#guide) [j](sub/) [k](with%20space.md?x#part) [l](vbscript:x)
![m](../logo.png) ![n](https://example.com/n.png) [![o](https://example.com/o.png)](https://example.com)
<script>alert(1)</script> <img src=x onerror=alert(1)>

${'```'}ts
const a = "</code><script>";
${'```'}
`;
const notebook = {
  metadata: { language_info: { name: 'python' } },
  cells: [
    { cell_type: 'markdown', source: ['# Title\n', '<script>alert(1)</script> [x](javascript:alert(1))'] },
    {
      cell_type: 'code',
      execution_count: 3,
      source: 'import math\n',
      outputs: [
        { output_type: 'stream', text: ['\u001b[31mred\u001b[0m <b>\n'] },
        { output_type: 'display_data', data: { 'text/html': '<script>alert(2)</script>', 'text/plain': 'plain' } },
        { output_type: 'display_data', data: { 'image/png': 'aGk=\n' } },
        { output_type: 'display_data', data: { 'image/png': '"><script>' } },
        { output_type: 'error', ename: 'ValueError', evalue: '<bad>' },
      ],
    },
  ],
};

let shop: Browsed;
beforeAll(async () => {
  shop = await browse({
    'docs/guide.md': document,
    'docs/book.ipynb': JSON.stringify(notebook),
    'docs/broken.ipynb': '{"cells": 7}',
    'src/a.ts': 'export {};\n',
  });
});
afterAll(() => shop[Symbol.asyncDispose]());

describe('a document', () => {
  const linkOf = (text: string, name: string): string | undefined =>
    new RegExp(`href="([^"]*)"[^>]*>${name}</a>`).exec(text)?.[1];

  it.each([
    ['a', '/acme/shop/-/blob/src/a.ts'],
    ['b', '/acme/shop/-/blob/src/a.ts?L3-9'],
    ['c', 'https://example.com/x'],
    ['h', '#'],
    ['g', '#'],
    ['i', '#section-guide'],
    ['j', '/acme/shop/-/tree/docs/sub'],
    ['k', '/acme/shop/-/blob/docs/with%20space.md#section-part'],
    ['n', 'https://example.com/n.png'],
  ])('leads by the link %s to %s', async (name, href) => {
    expect(linkOf(await shop.text('/acme/shop/-/blob/docs/guide.md'), name)).toBe(href);
  });

  it('keeps its links at the revision that is looked at', async () => {
    expect(linkOf(await shop.text('/acme/shop@main/-/blob/docs/guide.md'), 'a')).toBe(
      '/acme/shop@main/-/blob/src/a.ts',
    );
  });

  it('runs nothing and loads nothing from elsewhere', async () => {
    const text = await shop.text('/acme/shop/-/blob/docs/guide.md');
    expect(text).not.toMatch(/href="\s*(javascript|data|vbscript):/i);
    expect(text).not.toMatch(/<script(?! type="module" src="\/)/);
    expect(text).not.toMatch(/<img[^>]*(onerror|https?:)/);
    expect(text).toContain('<img src="/acme/shop/-/raw/logo.png" alt="m"');
  });

  it('has headings that links can name, each name once', async () => {
    const text = await shop.text('/acme/shop/-/blob/docs/guide.md');
    expect([...text.matchAll(/<h\d id="(section[^"]*)"/g)].map(([, id]) => id)).toEqual([
      'section-guide--more',
      'section-guide--more-1',
    ]);
  });

  it('is code where that is asked for, or lines are', async () => {
    for (const query of ['?view=code', '?L3'])
      expect(await shop.text(`/acme/shop/-/blob/docs/guide.md${query}`)).toContain('id=L3');
  });
});

describe('a notebook', () => {
  it('shows its text, its code and what that printed, and no markup that it made', async () => {
    const text = await shop.text('/acme/shop/-/blob/docs/book.ipynb');
    for (const part of [
      'id="section-title"',
      '[3]',
      'red &lt;b',
      '>plain</pre>',
      'src="data:image/png;base64,aGk="',
      'ValueError: &lt;bad',
    ])
      expect(text).toContain(part);
    expect(text).toContain('What this cell shows is not text.');
    expect(text).not.toContain('\u{1b}');
    expect(text).not.toMatch(/<script(?! type="module" src="\/)|href="javascript/);
  });

  it('that is none says so', async () => {
    expect(await shop.text('/acme/shop/-/blob/docs/broken.ipynb')).toContain('This is no notebook that can be shown');
  });
});
