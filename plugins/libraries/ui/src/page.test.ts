import { describe, expect, it } from 'vitest';
import {
  assetResponse,
  assets,
  button,
  copyText,
  field,
  html,
  htmlResponse,
  notice,
  postForm,
  table,
} from './index.ts';

const hostile = '"><script>alert(1)</script>';

const bodyOf = (body: Parameters<typeof htmlResponse>[0]['body']): Promise<string> =>
  htmlResponse({ title: 'Test', body }).text();

describe('a page', () => {
  it('is one document that loads nothing but what this server serves', async () => {
    const text = await bodyOf('hello');
    expect(text).toMatch(/^<!doctype html><html lang="en">/);
    expect(text).toContain('<title>Test · Sextant</title>');
    const loaded = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, path]) => path);
    expect(loaded).toEqual(expect.arrayContaining(assets.map(({ path }) => path)));
    for (const path of loaded) expect(path).toMatch(/^(\/|#|data:,$)/);
  });

  it('has no inline script or style, cannot be framed and is kept by nobody', async () => {
    const response = htmlResponse({ title: 'Test', body: 'hello' });
    const policy = response.headers.get('content-security-policy') ?? '';
    for (const directive of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "form-action 'self'"])
      expect(policy.split('; ')).toContain(directive);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('referrer-policy')).toBe('same-origin');
    expect(await response.text()).not.toMatch(/<style|style="|<script(?! type="module" src=)/);
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
      expect(asset.path).toMatch(/^\/\.assets\/[a-z]+\.[0-9a-f]{16}\.(css|js)$/);
      const response = assetResponse(asset);
      expect(response.headers.get('cache-control')).toContain('immutable');
      expect(await response.text()).toBe(asset.text);
    }
  });

  it('name nothing on another host', () => {
    for (const { text } of assets) expect(text).not.toMatch(/https?:\/\/|url\(|@import/);
  });
});
