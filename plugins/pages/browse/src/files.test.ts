import { literal, parseQuery, queryOf } from '@sextant/contracts';
import { submodule, symlink } from '@sextant/contracts/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browse } from './testing/open-page.ts';
import type { Browsed } from './testing/open-page.ts';

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1]);
const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'4d'.repeat(32)}\nsize 12345\n`;
const hostileSvg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const oddNames = [
  'with space',
  '#hash',
  '?question',
  '100%',
  '%41',
  'ü-日本',
  'new\nline',
  '-dash',
  'a@b',
  '-/blob/x',
  'q\'uo"te',
  '<b>',
];

let shop: Browsed;
beforeAll(async () => {
  shop = await browse({
    'README.md': '# The shop\n',
    'src/a.ts': 'export const a = 1;\n// </script><b>\nend\n',
    'src/empty.ts': '',
    'src/long.txt': Array.from({ length: 5000 }, (_, index) => `line ${index + 1}`).join('\n'),
    'logo.png': png,
    'large.png': pointer,
    'model.bin': pointer,
    'evil.svg': hostileSvg,
    'page.html': '<script>alert(1)</script>',
    data: Buffer.from([0, 1, 2]),
    'latin.txt': Buffer.from('caf\xe9\n', 'latin1'),
    link: symlink('README.md'),
    lib: submodule('1'.repeat(40)),
    ...Object.fromEntries(oddNames.map((name) => [`odd/${name}`, `this is ${name.length}\n`])),
  });
});
afterAll(() => shop[Symbol.asyncDispose]());

describe('a file', () => {
  it('is shown with numbered lines that are links, its size and its language', async () => {
    const text = await shop.text('/acme/shop/-/blob/src/a.ts');
    expect(text).toContain('<a href="?L1" id=L1 tabindex=-1>1</a><code>');
    expect(text).toContain('3 lines · 40 bytes · TypeScript');
    expect(text).not.toContain('<b>\n');
    expect(text).toContain('<a href="/acme/shop/-/tree/">acme/shop</a>');
  });

  it('has the lines of `?L3-9` marked, and the cursor on the first', async () => {
    const text = await shop.text('/acme/shop/-/blob/src/a.ts?L2-3');
    expect(text.match(/<div class=m>/g)).toHaveLength(2);
    expect(text).toContain('<div class=m><a href="?L2" id=L2 autofocus tabindex=-1>');
    expect((await shop.text('/acme/shop/-/blob/src/a.ts?L3')).match(/<div class=m>/g)).toHaveLength(1);
    for (const odd of ['?L0', '?L', '?L9-', '?Lx', '?L99999999999'])
      expect(await shop.text(`/acme/shop/-/blob/src/a.ts${odd}`), odd).not.toContain('<div class=m>');
  });

  it('has a link that means the same for ever, with its lines', async () => {
    const commit = shop.builder.git('rev-parse', 'HEAD').trim();
    const text = await shop.text('/acme/shop/-/blob/src/a.ts?L2');
    expect(text).toContain(`href="/acme/shop@${commit}/-/blob/src/a.ts?L2"`);
    expect(await shop.text(`/acme/shop@${commit.slice(0, 8)}/-/blob/src/a.ts`)).toContain('<code>');
  });

  it('that is long comes in parts, around the line that was asked for, with links to the others', async () => {
    const first = await shop.text('/acme/shop/-/blob/src/long.txt');
    expect(first).toContain('Lines 1–1000 of 5000');
    const middle = await shop.text('/acme/shop/-/blob/src/long.txt?L3000');
    expect(middle).toContain('<code>line 3000\n</code>');
    expect(middle).not.toContain('<code>line 1\n</code>');
    expect(middle).toContain('Lines 2901–3900 of 5000');
    const [, next = ''] = /href="([^"]*)" rel="next"/.exec(middle) ?? [];
    expect(await shop.text(next)).toContain('<code>line 3901\n</code>');
    const lines = await shop.open('/acme/shop/-/lines/src/long.txt?from=4999&to=5000');
    expect([lines.headers.get('x-complete'), await lines.text()]).toEqual([
      'true',
      expect.stringMatching(/^<div class="block short">.*line 4999.*line 5000/s),
    ]);
  });

  it.each(['', '?from=0&to=2', '?from=1', '?from=5&to=2', '?from=1&to=9999', '?from=a&to=b'])(
    'has no part %j',
    async (query) => {
      expect((await shop.open(`/acme/shop/-/lines/src/long.txt${query}`)).status).toBe(400);
    },
  );

  it('without a script leads to the line of the form', async () => {
    const response = await shop.open('/acme/shop/-/blob/src/long.txt?line=42');
    expect([response.status, response.headers.get('location')]).toEqual([302, '/acme/shop/-/blob/src/long.txt?L42']);
  });

  it.each([
    ['src/empty.ts', 'This file is empty.'],
    ['data', 'binary file of 3 bytes'],
    ['lib', '1'.repeat(40)],
    ['logo.png', '<img src="/acme/shop/-/raw/logo.png"'],
    ['large.png', 'is a Git LFS pointer to 12345 bytes'],
    ['model.bin', 'is a Git LFS pointer to 12345 bytes'],
    ['link', 'README.md'],
    ['latin.txt', 'LATIN1'],
  ])('%s says what it is', async (path, words) => {
    expect(await shop.text(`/acme/shop/-/blob/${path}`)).toContain(words);
  });
});

it('a file of 65 MB is not read, and says so', async () => {
  await using large = await browse({ huge: Buffer.alloc(65 << 20, 'a') });
  const text = await large.text('/acme/shop/-/blob/huge');
  expect(text).toContain(
    'It has 68157440 bytes; at most 67108864 bytes can be read. A clone of the repository has it.',
  );
  expect((await large.open('/acme/shop/-/raw/huge')).status).toBe(400);
});

describe('names that are hostile to addresses', () => {
  it.each(oddNames)('%j is linked in its folder, and the link opens it', async (name) => {
    const folder = await shop.text(`/acme/shop/-/tree/odd`);
    const encoded = `odd/${name.split('/').map(encodeURIComponent).join('/')}`;
    if (!name.includes('/')) expect(folder).toContain(`/acme/shop/-/blob/${encoded.replaceAll("'", "'")}"`);
    expect(await shop.text(`/acme/shop/-/blob/${encoded}`)).toContain(`this is ${name.length}\n</code>`);
    expect(await (await shop.open(`/acme/shop/-/raw/${encoded}`)).text()).toBe(`this is ${name.length}\n`);
  });

  it('show their controls', async () => {
    expect(await shop.text('/acme/shop/-/tree/odd')).toContain(String.raw`new\u000aline`);
  });
});

describe('raw files', () => {
  const raw = async (path: string): Promise<Record<string, string | null>> => {
    const { headers } = await shop.open(`/acme/shop/-/raw/${path}`);
    return {
      type: headers.get('content-type'),
      disposition: headers.get('content-disposition'),
      policy: headers.get('content-security-policy'),
    };
  };

  it('are text, images, or downloads; nothing in them runs', async () => {
    expect(await raw('page.html')).toMatchObject({
      type: 'text/plain; charset=utf-8',
      disposition: expect.stringMatching(/^inline/),
    });
    expect(await raw('logo.png')).toMatchObject({ type: 'image/png' });
    expect(await raw('evil.svg')).toMatchObject({ type: 'image/svg+xml' });
    expect(await raw('data')).toMatchObject({
      type: 'application/octet-stream',
      disposition: expect.stringMatching(/^attachment/),
    });
    expect(await raw('latin.txt')).toMatchObject({ type: 'application/octet-stream' });
    for (const path of ['page.html', 'evil.svg', 'data'])
      expect((await raw(path))['policy']).toMatch(/^default-src 'none';.*sandbox/);
  });

  it('keep their bytes, and are not sent again to who has them', async () => {
    const response = await shop.open('/acme/shop/-/raw/logo.png');
    expect(Buffer.from(await response.arrayBuffer())).toEqual(png);
    const etag = response.headers.get('etag') ?? '';
    expect((await shop.open('/acme/shop/-/raw/logo.png', { headers: { 'if-none-match': etag } })).status).toBe(304);
  });

  it('have names that no header breaks on', async () => {
    expect((await raw('odd/new%0Aline'))['disposition']).toBe(
      `inline; filename="new_line"; filename*=UTF-8''new%0Aline`,
    );
    expect((await raw(`odd/q'uo%22te`))['disposition']).toBe(
      `inline; filename="q_uo_te"; filename*=UTF-8''q%27uo%22te`,
    );
  });
});

describe('a folder', () => {
  it('lists its entries and shows its read-me', async () => {
    const text = await shop.text('/acme/shop');
    expect(text).toContain('<span>src</span>');
    expect(text).toMatch(/<h1 id="section-the-shop">The shop<\/h1>/);
    expect(text).toContain('href="/search?q=repo%3A%5Eacme%2Fshop%24+"');
  });

  it('and a file lead to each other', async () => {
    expect((await shop.open('/acme/shop/-/blob/src')).headers.get('location')).toBe('/acme/shop/-/tree/src');
    expect((await shop.open('/acme/shop/-/tree/src/a.ts')).headers.get('location')).toBe('/acme/shop/-/blob/src/a.ts');
  });
});

describe('what is not there', () => {
  it('reads the same whether it is hidden or missing', async () => {
    const read = async (name: string) => {
      const response = await shop.open(`/acme/${name}/-/blob/src/a.ts`);
      return { status: response.status, text: (await response.text()).replaceAll(name, '…') };
    };
    const hidden = await read('vault');
    expect(hidden.status).toBe(404);
    expect(hidden).toEqual(await read('vaulx'));
  });

  it.each([
    '/acme/shop/-/blob/src/b.ts',
    '/acme/shop@nope/-/blob/src/a.ts',
    '/acme/shop/-/commit/deadbeef',
    '/acme/shop/-/raw/nope',
  ])('%s is 404, and says what is near', async (path) => {
    expect((await shop.open(path)).status).toBe(404);
  });

  it('is explained to people on a page, and to scripts as the API does', async () => {
    const texts = await Promise.all(
      ['/acme/shop/-/blob/src/b.ts', '/acme/shp', '/acme/shop@nope'].map(async (path) =>
        (await shop.open(path)).text(),
      ),
    );
    expect(texts[0]).toContain('Did you mean <a href="/acme/shop/-/blob/src/a.ts">src/a.ts</a>?');
    expect(texts[1]).toContain('Did you mean <a href="/acme/shop">acme/shop</a>?');
    expect(texts[2]).toContain('acme/shop: revision &quot;nope&quot; not found. The default branch is');
    // What agents are told to call is no advice for people.
    for (const text of texts) expect(text).not.toMatch(/\b(?:list|keyword)_[a-z]+/);
    expect(texts[0]).toContain('<a href="/search?q=type%3Apath+%22b.ts%22">find files of this name</a>');
    expect(texts[1]).not.toContain('Open the repository');
    expect(texts[2]).toContain('<a href="/acme/shop">Open the repository</a>');
    const forScripts = await shop.open('/acme/shop/-/blob/src/b.ts', { headers: {} });
    expect(await forScripts.json()).toMatchObject({ code: 'not_found' });
  });

  it.each(['-foo.ts', 'foo (1).ts', 'repo:x.ts', 'OR', '"x.ts', String.raw`a\b`])(
    'leads to files of the name %j, not to what it means in a query',
    async (name) => {
      const text = await (await shop.open(`/acme/shop/-/blob/${encodeURIComponent(name)}`)).text();
      const [, query = ''] = /href="\/search\?q=([^"]*)">find files/.exec(text) ?? [];
      const asked = parseQuery(decodeURIComponent(query.replaceAll('+', ' ')));
      expect(asked).toMatchObject(queryOf([literal(name)], { types: ['path'] }));
    },
  );

  it('cannot be reached by revisions that are options or ranges', async () => {
    for (const revision of ['--all', 'main..main', 'main:src'])
      expect((await shop.open(`/acme/shop@${revision}/-/blob/src/a.ts`)).status, revision).toBe(400);
  });
});
