import { describe, expect, it } from 'vitest';
import {
  ago,
  assetResponse,
  assets,
  breadcrumbs,
  button,
  byteSize,
  forPeople,
  card,
  copyText,
  count,
  emptyState,
  facts,
  field,
  flash,
  html,
  htmlResponse,
  markedMarkup,
  moment,
  noteList,
  notice,
  pagination,
  postForm,
  table,
  tabs,
  tag,
} from './index.ts';

const hostile = '"><script>alert(1)</script>';

const bodyOf = (body: Parameters<typeof htmlResponse>[0]['body']): Promise<string> =>
  htmlResponse({ title: 'Test', body }).text();

it('a message for people leaves out hints for agents, whatever stands around them', () => {
  expect(forPeople('Cut at 9; list_files shows more.')).toBe('Cut at 9.');
  expect(forPeople('No such file. list_files shows a.ts and others. Look again.')).toBe('No such file. Look again.');
  // Quadratic time would be half a minute for each.
  const spaces = ' '.repeat(200_000);
  expect(forPeople(`a${spaces}b`)).toHaveLength(200_002);
  expect(forPeople('a_b shows '.repeat(20_000))).toHaveLength(199_999);
});

it('a message for people has times that they read', () => {
  expect(forPeople('It fails since 2026-11-28T17:50:27.828Z: why.')).toBe('It fails since 2026-11-28 17:50 UTC: why.');
});

it('notes take one line beside results, each once, and stand open where there are none', async () => {
  expect(noteList(['', 'a_b shows more.'], true)).toBeUndefined();
  expect(await bodyOf(noteList(['a `b`', 'a `b`'], true))).toContain('<summary>a <code>b</code></summary></details>');
  expect(await bodyOf(noteList(['a'], false))).not.toContain('<details');
  expect(await bodyOf(noteList(['a', 'b'], true))).toContain('<details><summary>2 notes on these results</summary>');
  expect(await bodyOf(noteList(['a', 'b'], false))).toContain('<details open><summary>');
});

describe('a page', () => {
  it('shows what turns text round or is not seen as escapes, and keeps it in what forms send back', async () => {
    const text = await bodyOf(html`<p title="a>b">x\u202ey\u0000\u001b[2J\tz</p><input value=${'q\u202e'} />`);
    expect(text).toContain('>x\\u202ey\\u0000\\u001b[2J\tz</p>');
    expect(text).toContain('value="q\u202e"');
  });

  it('is one document that loads nothing but what this server serves', async () => {
    const text = await bodyOf('hello');
    expect(text).toMatch(/^<!doctype html><html lang="en">/);
    expect(text).toContain('<title>Test · Sextant</title>');
    const loaded = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, path]) => path);
    const named = assets.filter(({ contentType }) => contentType !== 'font/woff2');
    expect(loaded).toEqual(expect.arrayContaining(named.map(({ path }) => path)));
    for (const path of loaded) expect(path).toMatch(/^(\/|#|data:,$)/);
  });

  it('has no inline script or style, cannot be framed and is kept by nobody', async () => {
    const response = htmlResponse({ title: 'Test', body: 'hello' });
    const policy = response.headers.get('content-security-policy') ?? '';
    for (const directive of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "form-action 'self'"])
      expect(policy.split('; ')).toContain(directive);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('referrer-policy')).toBe('same-origin');
    expect(await response.text()).not.toMatch(/<style|style="|<script(?!(?: type="module")? src=)/);
  });

  it('escapes everything that is put into it', async () => {
    const text = await htmlResponse({
      title: hostile,
      person: { name: hostile, csrfToken: hostile },
      navigation: [{ title: hostile, path: hostile }],
      body: [
        hostile,
        notice('danger', hostile),
        copyText({ id: 'a', text: hostile }),
        copyText({ id: 'c', text: hostile, isBlock: true }),
        card({ title: hostile, body: hostile, aside: tag(hostile) }),
        emptyState(hostile, hostile),
        facts({ [hostile]: hostile }),
        breadcrumbs([{ title: hostile, path: hostile }], hostile),
        field({ label: hostile, name: 'b', value: hostile, hint: hostile, mistake: hostile }),
        table({ caption: hostile, columns: [{ title: hostile, cell: () => hostile }], rows: [1], empty: '' }),
        postForm({ action: hostile, csrfToken: hostile, body: button(hostile, { label: hostile }) }),
      ],
    }).text();
    expect(text).not.toContain('<script>');
  });

  it('marks the link of the page that is shown, and lets who is signed in sign out', async () => {
    const links = [
      { title: 'One', path: '/one' },
      { title: 'Two', path: '/two' },
    ];
    const person = { name: 'alice', csrfToken: 'secret' };
    const text = await htmlResponse({ title: 'Two', body: '', person, navigation: links, path: '/two' }).text();
    expect(text).toContain('<a href="/one">One</a><a href="/two" aria-current="page">Two</a>');
    expect(text).toMatch(/<form method="post" action="\/sign-out".*name="csrf" value="secret"/s);
  });
});

describe('the frame of a page', () => {
  it('leads who is not signed in to sign in, and lets nobody sign out who has no session', async () => {
    const text = await htmlResponse({ title: 'T', body: '', signInPath: '/sign-in?return=%2Fa' }).text();
    expect(text).toContain('href="/sign-in?return=%2Fa">Sign in</a>');
    const withToken = await htmlResponse({ title: 'T', body: '', person: { name: 'alice' } }).text();
    expect(withToken).toContain('alice');
    expect(withToken).not.toContain('/sign-out');
  });
});

describe('a message after a form', () => {
  it('is shown only when the page knows it', async () => {
    const messages = { created: 'The user was created.' };
    expect(await bodyOf(flash('http://localhost/users?done=created', messages))).toContain('The user was created.');
    for (const name of ['', '?done=toString', '?done=%3Cscript%3E'])
      expect(flash(`http://localhost/users${name}`, messages)).toBeUndefined();
  });
});

describe('navigation in a page', () => {
  it('marks where one is', async () => {
    const crumbs = await bodyOf(breadcrumbs([{ title: 'shop', path: '/shop' }], 'a.ts'));
    expect(crumbs).toContain('<a href="/shop">shop</a>');
    expect(crumbs).toContain('<strong aria-current="location">a.ts</strong>');
    const views = [
      { title: 'Code', path: '/a', isCurrent: true },
      { title: 'History', path: '/b', isCurrent: false },
    ];
    expect(await bodyOf(tabs('File', views))).toContain(
      '<a href="/a" aria-current="page">Code</a><a href="/b">History</a>',
    );
  });

  it('has links through pages only where there are several', async () => {
    expect(pagination({ position: '1–3 of 3' })).toBeUndefined();
    const text = await bodyOf(pagination({ next: '?page=2', position: '1–50 of 80' }));
    expect(text).toContain('<span class="button plain" aria-disabled="true">Previous</span>');
    expect(text).toContain('<a class="button plain" href="?page=2" rel="next">Next</a>');
  });
});

describe('facts', () => {
  it('are written as people read them', async () => {
    expect([0, 1, 999, 1000, 12_345, 999_999, 1_000_000, 3.2e9].map(byteSize)).toEqual([
      '0 bytes',
      '1 byte',
      '999 bytes',
      '1.0 kB',
      '12 kB',
      '1000 kB',
      '1.0 MB',
      '3.2 GB',
    ]);
    expect([count(1, 'line'), count(1204, 'line'), count(2, 'match', 'matches')]).toEqual([
      '1 line',
      '1,204 lines',
      '2 matches',
    ]);
    const now = Date.parse('2026-11-21T08:00:00Z');
    const words = ['2026-11-21T07:59:30Z', '2026-11-21T07:00:00Z', '2026-11-18T07:00:00Z', '2020-01-01T00:00:00Z'];
    const texts = await Promise.all(words.map((time) => bodyOf(ago(time, now))));
    for (const [index, text] of ['just now', '1 hour ago', '3 days ago', '6 years ago'].entries())
      expect(texts[index]).toContain(`>${text}</time>`);
    expect(await bodyOf(moment('2026-11-21T07:59:30Z'))).toContain('title="2026-11-21 07:59:30 UTC">2026-11-21</time>');
  });
});

describe('a form', () => {
  it('carries the token against forgery and what is hidden', async () => {
    const text = await bodyOf(postForm({ action: '/a', csrfToken: 't', hidden: { id: '7' }, body: '' }));
    expect(text).toContain('<input type="hidden" name="id" value="7"/><input type="hidden" name="csrf" value="t"/>');
  });

  it('ties what is said about a field to it', async () => {
    const text = await bodyOf(field({ label: 'Name', name: 'name', hint: 'Short.', mistake: 'Too long.' }));
    expect(text).toContain('<label for="field-name">Name</label>');
    expect(text).toContain('aria-invalid="true" aria-describedby="field-name-hint field-name-mistake"');
    expect(text).toContain('<small id="field-name-mistake" class="mistake">Too long.</small>');
  });
});

describe('a table', () => {
  it('says what it would hold when it has no rows', async () => {
    const text = await bodyOf(table({ caption: 'Things', columns: [], rows: [], empty: html`<p>No things yet</p>` }));
    expect(text).toContain('<div class="empty"><p>No things yet</p></div>');
    expect(text).not.toContain('<table');
  });
});

describe('assets', () => {
  it('stand under a path with a hash of their content, so that browsers may keep them for ever', async () => {
    for (const asset of assets) {
      expect(asset.path).toMatch(/^\/\.assets\/[a-z-]+\.[0-9a-f]{16}\.(css|js|svg|woff2)$/);
      const response = assetResponse(asset);
      expect(response.headers.get('cache-control')).toContain('immutable');
      expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.from(asset.body));
    }
  });

  it('name nothing on another host', () => {
    for (const { body } of assets)
      if (typeof body === 'string')
        expect(body.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:\/\/|url\((?!\/\.assets\/)|@import/);
  });
});

describe('marks in coloured code', () => {
  it.each([
    ['a<span class=k>bc</span>d', [[0, 1]], '<mark>a</mark><span class=k>bc</span>d'],
    ['a<span class=k>bc</span>d', [[0, 2]], '<mark>a</mark><span class=k><mark>b</mark>c</span>d'],
    [
      '&lt;b&gt;',
      [
        [0, 1],
        [2, 3],
      ],
      '<mark>&lt;</mark>b<mark>&gt;</mark>',
    ],
    ['ab', [[1, 9]], 'a<mark>b</mark>'],
    ['ab', [], 'ab'],
  ] as const)('of %j at %j are nested well', (markup, ranges, expected) => {
    expect(markedMarkup(markup, ranges)).toBe(expected);
  });
});
