import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { queryOf } from '@sextant/contracts';
import type { History, Outline, Symbols } from '@sextant/contracts';
import { commitTreeBomb } from '@sextant/contracts/testing';
import { SextantError } from '@sextant/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Highlighter } from './highlight/highlighter.ts';
import { browse } from './testing/open-page.ts';
import type { Browsed } from './testing/open-page.ts';

let shop: Browsed;
let head: string;
let first: string;
beforeAll(async () => {
  shop = await browse({ 'a.ts': 'one\ntwo\nthree\n', gone: 'x\n' });
  first = shop.builder.git('rev-parse', 'HEAD').trim();
  const files = { 'a.ts': 'one\nTWO <b>\nthree\n', gone: null, empty: '' };
  head = shop.builder.commit({ message: 'Change <i>things</i>\n\nBecause of </pre>.', files });
  shop.builder.commit({ branch: 'topic/-/x@y', parents: [first], files: { 'b.ts': 'b\n' }, message: 'Topic' });
  shop.builder.tag({ name: 'v1', commit: first });
});
afterAll(() => shop[Symbol.asyncDispose]());

const commitOf = (commit: string, title: string) => ({
  repo: 'acme/shop',
  commit,
  title,
  message: title,
  author: { name: 'Ada', email: 'ada@example.com' },
  date: '2026-01-02T03:04:05Z',
  authorDate: '2026-01-02T03:04:05Z',
});
const missing = async (): Promise<never> => {
  throw new Error('not asked for');
};
const historyOf = (count: number): History => ({
  find: missing,
  diffs: missing,
  contributors: missing,
  commits: async (_caller, { count: most, paths }) => ({
    query: queryOf([]),
    results: Array.from({ length: Math.min(most, count) }, (_, index) =>
      commitOf(`${index}`.padStart(40, 'a'), `${paths} ${index}`),
    ),
    totalCount: count,
    isLimited: count > most,
    notes: [],
  }),
});

describe('a shallow clone', () => {
  it('has no changes of the commit with which its history begins, and no author of its lines', async () => {
    await using cut = await browse({ a: 'one\n' });
    const begin = cut.builder.commit({ files: { a: 'one\ntwo\n' }, message: 'Begin' });
    const last = cut.builder.commit({ files: { a: 'one\ntwo\nthree\n' }, message: 'Go on' });
    writeFileSync(join(cut.builder.folder, '.git', 'shallow'), `${begin}\n`);
    const commit = await cut.text(`/acme/shop/-/commit/${begin}?part=all`);
    expect(commit).toContain('what it changed is not known');
    expect(commit).not.toMatch(/changed, |parent/);
    expect(await cut.text(`/acme/shop/-/commit/${last}?part=all`)).toContain('<strong>1 file</strong> changed');
    const blame = await cut.text('/acme/shop/-/blame/a');
    expect(blame).toContain('Before the history here, which begins at');
    expect(blame).toContain('Go on');
    expect(await cut.text('/acme/shop/-/commits/a?L1-L3')).toContain('Older changes are not known');
  });
});

describe('a commit', () => {
  it('says who made it, what it says and what it changed', async () => {
    const text = await shop.text(`/acme/shop/-/commit/${head}?part=all`);
    for (const part of [
      'Change &lt;i>things',
      'Because of &lt;/pre>.',
      'Ada',
      `${first.slice(0, 12)}</a>`,
      'File before',
    ])
      expect(text).toContain(part);
    expect(text).toContain(
      '<tr class=del><td>2</td><td></td><td><code>-<mark>two</mark>\n</code></td></tr>'.replace(/<\/?mark>/g, ''),
    );
    expect(text).toContain('+TWO &lt;b&gt;');
    expect(text).toContain('An empty file.');
  });

  it('without parents adds all its files', async () => {
    const text = await shop.text(`/acme/shop/-/commit/${first}?part=all`);
    expect(text).toContain('<strong>2 files</strong> changed');
    expect(text).not.toContain('parent');
  });

  it('of more files than are counted with their lines says so, and leads on to the last', async () => {
    const bomb = commitTreeBomb(shop.builder, { levels: 2, width: 250, branch: 'bomb' });
    const text = await shop.text(`/acme/shop/-/commit/${bomb}?part=all&page=1250`);
    expect(text).toMatch(/<strong>62,500 files<\/strong> changed, at least\s+<span class="plus">\+50</);
    expect(text).toContain('Renames were not looked for');
    expect(text).toContain('Files 62451–62500 of 62500');
    expect(text).not.toContain('page=1251');
  });

  it('says which branches have it, and which tag had it first', async () => {
    const refs = async (commit: string): Promise<string> => {
      const path = `/acme/shop/-/commit/${commit}`;
      expect(await shop.text(path)).toMatch(/<section data-part="[^"]*\?part=refs">|<section class="quiet">/);
      let part = '';
      do part = await shop.text(`${path}?part=refs`);
      while (part === '<div></div>');
      return part.replaceAll(/<[^>]*>/g, '').trim();
    };
    expect(await refs(first)).toBe('On main, topic/-/x@y; first in tag v1.');
    expect(await refs(head)).toBe('On main; in no tag.');
    expect(await shop.text(`/acme/shop/-/commit/${first}?part=refs`)).toContain('href="/acme/shop@v1/-/tree/"');
  });

  it('has links where its message has addresses', async () => {
    const message = 'Link\n\nSee (https://example.com/a?b=1&c="x"), or <http://x.example>. javascript:alert(1)';
    const linked = shop.builder.commit({ branch: 'linked', parents: [first], message, files: { l: 'l' } });
    const text = await shop.text(`/acme/shop/-/commit/${linked}?part=all`);
    const found = [...text.matchAll(/<a href="([^"]*)" rel="nofollow noopener noreferrer">/g)].map(([, href]) => href);
    expect(found).toEqual(['https://example.com/a?b=1&amp;c=', 'http://x.example']);
  });

  it('is found by any name of it', async () => {
    expect(await shop.text('/acme/shop/-/commit/v1?part=all')).toContain(first);
  });
});

describe('a comparison', () => {
  it('shows what head changed since it left base', async () => {
    const text = await shop.text('/acme/shop/-/compare/main...topic%2F-%2Fx%40y?part=all');
    expect(text).toContain('<strong>1 file</strong> changed');
    expect(text).toContain('b.ts');
  });

  it('of the form leads to its address', async () => {
    const response = await shop.open('/acme/shop/-/compare/?base=v1&head=topic%2F-%2Fx%40y');
    expect(response.headers.get('location')).toBe('/acme/shop/-/compare/v1...topic%2F-%2Fx%40y');
  });

  it('is of one folder where one is named, also in the form and on other pages of it', async () => {
    const path = '/acme/shop/-/compare/main...topic%2F-%2Fx%40y';
    expect(await shop.text(`${path}?part=all&below=b.ts`)).toContain('<strong>1 file</strong> changed');
    const text = await shop.text(`${path}?part=all&below=/nowhere/`);
    expect(text).toContain('There is nothing to compare.');
    expect(text).toContain('name="below" value="nowhere"');
    const response = await shop.open('/acme/shop/-/compare/?base=v1&head=main&below=src');
    expect(response.headers.get('location')).toBe('/acme/shop/-/compare/v1...main?below=src');
  });

  it('of the same has nothing', async () => {
    expect(await shop.text('/acme/shop/-/compare/main...main?part=all')).toContain('There is nothing to compare.');
  });
});

describe('a history', () => {
  it('comes some commits a page, of a path where one is named', async () => {
    const services = { history: historyOf(120) };
    const text = await shop.text('/acme/shop/-/commits/a.ts?page=2', { services });
    expect(text.match(/>a\.ts \d+<\/a>/g)).toHaveLength(50);
    expect(text).toContain('/acme/shop/-/commits/a.ts?page=3"');
    expect(await shop.text('/acme/shop/-/commits/?page=999', { services })).toContain('There are no commits here.');
  });

  it('that nothing reads is said to be switched off', async () => {
    expect((await shop.open('/acme/shop/-/commits/')).status).toBe(503);
  });
});

describe('changed files', () => {
  let other: Browsed;
  let text: string;
  let split: string;
  beforeAll(async () => {
    other = await browse({ 'src/a.ts': 'const a = 1;\nend();\n', 'yarn.lock': 'a\n' });
    other.builder.commit({ files: { 'src/a.ts': 'const a = 2;\nend();\nconst s = "<b>";\n', 'yarn.lock': 'b\n' } });
    // A page does not wait long for colours, of the file before nor of that after; the next visit has them.
    do text = await other.text('/acme/shop/-/commit/main?part=all');
    while (!/<code>-<span class=k>.*<code>\+<span class=k>/s.test(text));
    split = await other.text('/acme/shop/-/commit/main?part=all&view=split');
  });
  afterAll(() => other[Symbol.asyncDispose]());

  it('have the colours of their language, with the words that changed marked and everything escaped', () => {
    expect(text).toMatch(
      /<tr class=add>.*?<code>\+<span class=k>const<\/span> a = <span class=n><mark>2<\/mark><\/span>;\n/s,
    );
    expect(text).toContain('&lt;b&gt;');
    expect(text).not.toContain('<b>"');
  });

  it('stand in two columns where that is asked for, what was removed beside what was added', () => {
    expect(split).toMatch(/<tr><td>1<\/td><td class=del>.*?<\/td><td>1<\/td><td class=add>/s);
    expect(split).toMatch(/<td><\/td><td class=none><\/td><td>3<\/td><td class=add>/);
    expect(split).toContain('<a href="?view=split" aria-current="page">Two columns</a>');
  });

  it('are listed before the first, and lead to the file and to who wrote its lines', () => {
    expect(text).toContain('<span class="folder">src/</span>');
    expect(text).toContain('<a href="#file-2" class="modified" title="yarn.lock">yarn.lock</a>');
    expect(text).toMatch(/href="\/acme\/shop@[0-9a-f]{40}\/-\/blame\/src\/a\.ts">Blame<\/a>/);
  });

  it('lead from each hunk to its lines and who wrote them, and say what stands between hunks', async () => {
    const lines = Array.from({ length: 60 }, (_, index) => `line ${index + 1}`);
    const files = (changed: readonly number[]) => ({
      'src/long.txt': lines.map((line, index) => (changed.includes(index + 1) ? `${line}!` : line)).join('\n'),
    });
    other.builder.commit({ files: files([]) });
    const head = other.builder.commit({ files: files([10, 50]) });
    const page = await other.text(`/acme/shop/-/commit/${head}?part=all`);
    expect(page).toContain(`href="/acme/shop@${head}/-/blame/src/long.txt?L47">Blame</a>`);
    expect(page).toContain(`href="/acme/shop@${head}/-/blob/src/long.txt?L47">View</a>`);
    const between = [...page.matchAll(/data-between="([^"]*)" data-shift="([^"]*)"/g)];
    expect(between.map(([, range, shift]) => [range, shift])).toEqual([
      ['1-6', '0'],
      ['14-46', '0'],
      ['54-', '0'],
    ]);
  });

  it('have the colours that their lines have in the whole file, as inside a comment', async () => {
    const comment = (word: string) => `/*\n${'const a = 1;\n'.repeat(9)}const ${word} = 1;\n*/\nconst end = 1;\n`;
    other.builder.commit({ files: { 'src/comment.ts': comment('before') } });
    const head = other.builder.commit({ files: { 'src/comment.ts': comment('after') } });
    const inComment = /<code>-<span class=c>const <mark>before<.*<code>\+<span class=c>const <mark>after</s;
    const end = '<code> <span class=k>const</span> end';
    let page = '';
    do page = await other.text(`/acme/shop/-/commit/${head}?part=all`);
    while (!inComment.test(page));
    expect(page).toContain(end);
    // The lines that the page of the history of lines shows are of the same file.
    do page = await other.text(`/acme/shop@${head}/-/commits/src/comment.ts?L10-12`);
    while (!/<code>\+<span class=c>const <mark>after/.test(page));
  });

  it('with colours that were late are asked for again, in both columns, and of a comparison and of lines, too', async () => {
    const lines: Highlighter['lines'] = async (source, [from, to], waitMs) => ({
      markup: source
        .lines(from, to)
        .map((line) => `<span class=${waitMs < 1000 ? 'plain' : 'late'}>${line.length}</span>`),
      isComplete: waitMs >= 1000,
    });
    const options = { services: { highlighter: { lines } } };
    for (const page of [
      'commit/main?part=all',
      'commit/main?part=all&view=split',
      'compare/main~1...main?part=all',
      'commits/yarn.lock?L1',
    ]) {
      const path = `/acme/shop/-/${page}`;
      const shown = await other.text(path, options);
      const again = /data-coloured="([^"]*)"/.exec(shown)?.[1]?.replaceAll('&amp;', '&') ?? '';
      expect(again, page).toContain('part=coloured');
      const part = await other.text(
        new URL(again, `http://localhost${path}`).href.slice('http://localhost'.length),
        options,
      );
      expect(part.startsWith('<div>'), page).toBe(true);
      expect(part).not.toContain('data-coloured');
      expect(part.match(/<code>/g)?.length, page).toBe(shown.match(/<td><code>|<td class=\w+><code>/g)?.length);
      expect(part, page).toContain('<span class=late>');
    }
  });

  it('that take long come after their page: a script asks for them, and without one the browser', async () => {
    const never = { services: { highlighter: { lines: () => new Promise(() => undefined) } } };
    const failing = {
      services: { highlighter: { lines: () => Promise.reject(new SextantError('unavailable', 'no `colours`')) } },
    };
    for (const page of ['commit/main', 'compare/main~1...main']) {
      const path = `/acme/shop/-/${page}`;
      const late = await other.text(path, never);
      expect(late).toContain('<section class="stack" data-part="?part=changes">');
      expect(late).toContain('content="0; url=?part=all"');
      expect(late).not.toContain('class="diff"');
      for (const part of ['changes', 'all'])
        expect(await other.text(`${path}?part=${part}`), part).toContain('class="diff"');
      expect(await other.text(`${path}?part=changes`, failing)).toContain('no <code>colours</code>');
    }
  });

  it('that programs write are folded', () => {
    expect(text).toMatch(
      /id="file-2".*<details class="folded"><summary>A file that a program writes: show it<\/summary>/s,
    );
    expect(text.match(/class="folded"/g)).toHaveLength(1);
  });
});

it('branches and tags lead to the same path there', async () => {
  const text = await shop.text('/acme/shop/-/refs/a.ts');
  expect(text).toContain('href="/acme/shop@topic/-/x%40y/-/blob/a.ts"');
  expect(await shop.text('/acme/shop@topic/-/x%40y/-/tree/')).toContain('b.ts');
  // The page does not wait long for the titles of commits; its part does.
  let list = '';
  do list = await shop.text('/acme/shop/-/refs/a.ts?part=list');
  while (!list.includes('class="commit-title"'));
  expect(list).toMatch(/class="commit-title" href="\/acme\/shop\/-\/commit\/[0-9a-f]{40}">/);
  expect(await shop.text('/acme/shop/-/refs/?type=tag')).toContain('href="/acme/shop@v1/-/tree/"');
});

it('branches and tags are suggested, those that begin with the text first, with the same path there', async () => {
  const suggested = async (text: string) => (await shop.open(`/acme/shop/-/refs/a.ts?suggest=${text}`)).json();
  expect(await suggested('V')).toEqual({
    refs: [{ name: 'v1', type: 'tag', date: '2023-11-14', href: '/acme/shop@v1/-/blob/a.ts' }],
  });
  expect(await suggested('none')).toEqual({ refs: [] });
});

describe('a name in a file', () => {
  const symbols: Symbols = {
    search: missing,
    outline: async () => ({
      definitions: [{ name: '<One>', kind: 'class', line: 1, endLine: 3, signature: 'class One' }],
      limitHit: false,
    }),
    findDefinition: async (_caller, { symbol }) => {
      if (symbol !== 'one') throw new SextantError('not_found', `no "${symbol}" here`);
      const chunks = [{ startLine: 1, endLine: 1, lines: ['one <b>'] }];
      return {
        precision: 'syntactic',
        files: [{ repo: 'acme/shop', path: 'a.ts', chunks, places: [{ line: 1, kind: 'class' }] }],
      };
    },
    findReferences: async () => ({ precision: 'text', files: [], totalCount: 0, limitHit: false }),
  };

  it('is listed beside the file', async () => {
    const text = await shop.text('/acme/shop/-/blob/a.ts', { services: { symbols } });
    expect(text).toMatch(/href="\/acme\/shop\/-\/blob\/a\.ts\?L1" data-line="1">.*&lt;One></);
  });

  it('leads to its definition: on a page, and in a part of one', async () => {
    for (const query of ['?name=one', '?name=one&part=']) {
      const text = await shop.text(`/acme/shop/-/symbol/a.ts${query}`, { services: { symbols } });
      expect(text.startsWith('<!doctype'), query).toBe(!query.includes('part'));
      expect(text).toContain('<a href="/acme/shop/-/blob/a.ts?L1" tabindex=-1>1</a>');
      expect(text).toContain('<mark>one</mark> &lt;b&gt;');
    }
  });

  it('is told beside it: how it is declared, and where; nothing where nothing is known', async () => {
    const at = '/acme/shop/-/symbol/a.ts?part=declaration&name=';
    const told = await shop.text(`${at}one&at=1`, { services: { symbols } });
    expect(told).toContain('<code>class One</code>');
    expect(told).toContain('a.ts:1');
    expect(await shop.text(`${at}two`, { services: { symbols } })).toBe('<div></div>');
  });

  it('that nothing is known of says why', async () => {
    const text = await shop.text('/acme/shop/-/symbol/a.ts?name=two', { services: { symbols } });
    expect(text).toContain('no &quot;two&quot; here');
  });

  it('is listed later where that takes longer', async () => {
    shop.builder.commit({ files: { 'a.ts': 'not seen before\n' } });
    const { promise, resolve } = Promise.withResolvers<Outline>();
    const slow = { ...symbols, outline: () => promise };
    const text = await shop.text('/acme/shop/-/blob/a.ts', { services: { symbols: slow } });
    const [, path = ''] = /data-outline="([^"]*)"/.exec(text) ?? [];
    const asked = shop.text(path, { services: { symbols: { ...symbols, outline: missing } } });
    resolve({ definitions: [{ name: '<Two>', kind: 'class', line: 1, endLine: 3, signature: '' }], limitHit: false });
    // The work that the page did not wait for went on, and is not begun again.
    expect(await asked).toMatch(/^<div><details class="outline".*&lt;Two>/s);
  });

  it('that is missing in the list is told why, and looked for again', async () => {
    shop.builder.commit({ files: { 'a.ts': 'given up\n' } });
    const notes = ['Parsing a.ts was given up.'];
    const lacking = { ...symbols, outline: async () => ({ definitions: [], limitHit: false, notes }) };
    const part = '/acme/shop/-/symbol/a.ts?outline=';
    expect(await shop.text(part, { services: { symbols: lacking } })).toContain(`<p class="quiet">${notes[0]}</p>`);
    expect(await shop.text(part, { services: { symbols } })).toContain('&lt;One>');
  });

  it('does not hold up or break the page when the outline fails', async () => {
    const broken = { ...symbols, outline: () => Promise.reject(new SextantError('unavailable', 'no')) };
    const slow = { ...symbols, outline: (...[, , signal]: Parameters<Symbols['outline']>) => untilAborted(signal) };
    for (const [name, symbols] of Object.entries({ broken, slow })) {
      shop.builder.commit({ files: { name } });
      expect(await shop.text('/acme/shop/-/blob/a.ts', { services: { symbols } })).toContain('id=L1');
    }
  });
});

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
