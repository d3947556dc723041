import { definePage, definePlugin } from '@sextant/core';
import type { NavigationLink, PageAccess, PageLink } from '@sextant/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

const page = (path: string, access: PageAccess, link?: PageLink) =>
  definePage({
    name: `page ${path}`,
    method: 'GET',
    path,
    access,
    needs: {},
    ...(link && { link }),
    respond: async (_request, _services, { navigation }) => Response.json(navigation),
  });

const files = definePage({
  name: 'files',
  method: 'GET',
  path: '/**',
  access: { scope: 'all' },
  accepts: (pathname) => pathname.includes('/-/'),
  needs: {},
  respond: async ({ url }) => new Response(`file ${new URL(url).pathname}`),
});

const pages = [
  page('/reports', { scope: 'analytics' }, { title: 'Reports', order: 3 }),
  page('/', 'anyone', { title: 'Home', order: 1 }),
  page('/secret', { scope: 'all', permission: 'SECRET#READ' }, { title: 'Secret', order: 2 }),
  page('/quiet', 'anyone'),
  files,
];

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ plugins: [definePlugin({ name: 'page-test', pages })] });
});
afterAll(() => server.close());

const get = (path: string, token?: string): Promise<Response> =>
  fetch(`${server.url}${path}`, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });

describe('the navigation', () => {
  test.each([
    ['someone who shows no credentials', undefined, ['Home']],
    ['a user', 'alice-token', ['Home', 'Reports']],
    ['a token for one scope', 'analyst-token', ['Home', 'Reports']],
    ['an administrator', 'root-token', ['Home', 'Secret', 'Reports']],
  ])('leads %s to what they may open, in the order of the links', async (_who, token, titles) => {
    const links = (await (await get('/quiet', token)).json()) as NavigationLink[];
    expect(links.map(({ title }) => title)).toEqual(titles);
    expect(links[0]).toEqual({ title: 'Home', path: '/' });
  });
});

test('a page answers HEAD as GET, without its content', async () => {
  const response = await fetch(`${server.url}/quiet`, { method: 'HEAD' });
  expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
    200,
    'application/json',
    '',
  ]);
  expect((await fetch(`${server.url}/reports`, { method: 'HEAD' })).status).toBe(401);
});

describe('a page with a pattern that matches more than it means', () => {
  test('answers what it means, after its access rule', async () => {
    expect(await (await get('/a/b/-/blob/c', 'alice-token')).text()).toBe('file /a/b/-/blob/c');
    expect((await get('/a/b/-/blob/c')).status).toBe(401);
  });

  test('leaves the rest as if it were not there', async () => {
    for (const token of [undefined, 'alice-token']) {
      const response = await get('/a/b', token);
      expect([response.status, await response.text()]).toEqual([404, 'not found']);
    }
  });

  test('hides no other page', async () => {
    expect((await get('/quiet')).status).toBe(200);
    expect((await get('/healthz')).status).toBe(200);
  });
});
