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
    expect(text).not.toMatch(/<script(?!(?: type="module")? src="\/)/);
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

describe('HTML in a document', () => {
  const written = String.raw`<div align="center" style="position:fixed" class="bar" id="content">
<a name="top"></a><img src="../logo.png" width="90" onload="alert(1)"><picture><source srcset="https://example.com/d.png"><img alt="Build" src="https://example.com/b.svg"></picture>
<a href="../src/a.ts">the code</a> <a href="javascript:alert(1)">no</a> <a href="https://example.com"><img src="https://example.com/c.svg"></a>
</div>

<details><summary>More</summary>

Some <kbd>Ctrl</kbd> <form action="https://example.com"><input name="password"><button>Send</button></form>

</details>

- [x] done
- [ ] to do

> [!WARNING]
> Mind the gap.

<svg><style>body{display:none}</style><script>alert(1)</script></svg><math><mtext><img src=x onerror=alert(2)></mtext></math><iframe src="//example.com"></iframe><!-- <b>comment</b> -->
</article></main><h1>outside</h1>
`;
  let text: string;
  beforeAll(async () => {
    await using written_ = await browse({ 'docs/page.md': written });
    const page = await written_.text('/acme/shop/-/blob/docs/page.md');
    text = /<article class="prose">(.*)<\/article>/s.exec(page)?.[1] ?? '';
  });

  it('is shown where it only says how text looks', () => {
    for (const part of [
      '<div align="center"',
      '<details>',
      '<summary>More</summary>',
      '<kbd>Ctrl</kbd>',
      '☑ done',
      '☐ to do',
    ])
      expect(text).toContain(part);
    expect(text).toContain('<blockquote class="remark warning">');
    expect(text).toContain('<strong>Warning</strong>');
  });

  it('leads to files of the repository, and shows its images', () => {
    expect(text).toContain('<a href="/acme/shop/-/blob/src/a.ts">the code</a>');
    expect(text).toContain('<img width="90" src="/acme/shop/-/raw/logo.png" alt="" />');
    expect(text).toContain('<a id="section-top"></a>');
  });

  it('loads nothing from elsewhere: such images are links to them, or texts of a link', () => {
    expect(text).toMatch(/<a [^>]*href="https:\/\/example\.com\/b\.svg"[^>]*>Build<\/a>/);
    expect(text).toMatch(/<a href="https:\/\/example\.com"[^>]*><span class="outside-image">image<\/span><\/a>/);
    expect(text).not.toMatch(/src="(?!\/acme\/)|srcset/);
  });

  it('brings nothing that acts, or that looks like another part of the page', () => {
    expect(text).not.toMatch(
      /<(script|style|svg|math|iframe|form|input|button|main|article)|style=|on\w+=|javascript:|id="content"|class="bar"|comment/,
    );
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
    expect(text).not.toMatch(/<script(?!(?: type="module")? src="\/)|href="javascript/);
  });

  it('that is none says so', async () => {
    expect(await shop.text('/acme/shop/-/blob/docs/broken.ipynb')).toContain('This is no notebook that can be shown');
  });
});
