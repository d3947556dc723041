import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveTwoRepositories } from './two-repositories.ts';
import type { TwoRepositories } from './two-repositories.ts';

/** Every address that names a repository. */
const routes: readonly ((repo: string) => string)[] = [
  (repo) => `/${repo}`,
  (repo) => `/${repo}@main`,
  (repo) => `/${repo}/-/tree/`,
  (repo) => `/${repo}/-/tree/src`,
  (repo) => `/${repo}/-/blob/src/a.ts`,
  (repo) => `/${repo}@v1/-/blob/src/a.ts?L1`,
  (repo) => `/${repo}/-/blob/src/nope.ts`,
  (repo) => `/${repo}@nope/-/blob/src/a.ts`,
  (repo) => `/${repo}/-/raw/README.md`,
  (repo) => `/${repo}/-/lines/src/a.ts?from=1&to=1`,
  (repo) => `/${repo}/-/symbol/src/a.ts?name=a`,
  (repo) => `/${repo}/-/symbol/src/a.ts?name=a&part=`,
  (repo) => `/${repo}/-/commit/main`,
  (repo) => `/${repo}/-/commits/src/a.ts`,
  (repo) => `/${repo}/-/compare/main~1...main`,
  (repo) => `/${repo}/-/compare/?base=v1&head=main`,
  (repo) => `/${repo}/-/refs/`,
  (repo) => `/search?part=all&q=repo:^${repo}$+export`,
  (repo) => `/search?part=all&q=repo:^${repo}$+type:path+a`,
  (repo) => `/search?part=all&q=repo:^${repo}$+type:commit+a`,
  (repo) => `/search?part=all&q=type:repo+${repo}`,
  (repo) => `/search?part=all&q=export&mode=natural&unused=${repo}`,
  (repo) => `/?filter=${repo}`,
];

/** Same length as `secret`, so that not even a length tells them apart. */
const missing = 'absent';

let server: TwoRepositories;
beforeAll(async () => {
  server = await serveTwoRepositories();
});
afterAll(() => server[Symbol.asyncDispose]());

async function answer(path: string, headers: Record<string, string>): Promise<object> {
  const response = await fetch(server.url + path, { headers, redirect: 'manual' });
  const kept = [...response.headers].filter(([name]) => !['date', 'x-request-id', 'transfer-encoding'].includes(name));
  // How long a search took is on its page.
  const text = (await response.text()).replace(/in \d+ ms/, 'in some ms');
  return { status: response.status, headers: JSON.stringify(kept), text };
}

const withoutName = (answer: object, name: string): string => JSON.stringify(answer).replaceAll(name, '…');

describe.each([
  ['a person', { accept: 'text/html' }],
  ['a script', {}],
])('for %s, a repository that they may not read is indistinguishable from one that does not exist', (_who, accept) => {
  test.each(routes.map((route) => [route('…'), route] as const))('%s', async (_name, route) => {
    const headers = { ...accept, authorization: `Bearer ${server.aliceToken}` };
    let hidden = '';
    // Colours and counts that are not there in a tenth of a second come later: then one page has them, and the other has not.
    const difference = async (): Promise<string> => {
      hidden = withoutName(await answer(route('secret'), headers), 'secret');
      const none = withoutName(await answer(route(missing), headers), missing);
      return hidden === none ? 'none' : `${hidden}\n${none}`;
    };
    await expect.poll(difference).toBe('none');
    const forAdministrator = { ...accept, authorization: `Bearer ${server.adminToken}` };
    if (!route('').includes('unused'))
      expect(withoutName(await answer(route('secret'), forAdministrator), 'secret')).not.toBe(hidden);
  });
});

test('someone who is not signed in is led to sign in, whatever the repository', async () => {
  for (const route of routes.slice(0, -1)) {
    const [open, hidden, none] = await Promise.all(
      ['open', 'secret', missing].map(async (repo) =>
        withoutName(await answer(route(repo), { accept: 'text/html' }), repo),
      ),
    );
    expect(open).toBe(hidden);
    expect(none).toBe(hidden);
    expect(open).toContain('/sign-in');
  }
});
