import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, post } from '../support/rpc.ts';
import { serveTwoRepositories } from './two-repositories.ts';
import type { TwoRepositories } from './two-repositories.ts';

/** For every tool the arguments that ask for one repository. A tool that is not here fails the first test. */
const asking: Readonly<Record<string, (repo: string) => object>> = {
  code_finder: (repo) => ({ task: `In ${repo}: the exported constant` }),
  commit_search: (repo) => ({ repos: [repo] }),
  compare_revisions: (repo) => ({ repo, base: 'main~1', head: 'main' }),
  deepsearch: (repo) => ({ question: `In ${repo}: the exported constant` }),
  diff_search: (repo) => ({ pattern: 'export', repos: [`^${repo}$`] }),
  evaluator: (repo) => ({ script: everyFunction.replaceAll('REPO', repo) }),
  // It names no repository: what it counts must be as if the hidden one were not there.
  find_references: (repo) => ({ repo, path: 'src/a.ts', symbol: 'a' }),
  get_contributor_repos: () => ({ authors: ['ada'] }),
  go_to_definition: (repo) => ({ repo, path: 'src/a.ts', symbol: 'a' }),
  keyword_search: (repo) => ({ query: `repo:^${repo}$ type:path a` }),
  list_files: (repo) => ({ repo, path: 'src' }),
  list_refs: (repo) => ({ repo }),
  list_repos: (repo) => ({ query: repo }),
  nls_search: (repo) => ({ query: `repo:^${repo}$ export` }),
  read_file: (repo) => ({ repo, path: 'src/a.ts' }),
};

/** Asked in tests of their own below: it names a conversation, not a repository. */
const askedBelow = ['deepsearch_read'];

/** All functions of scripts, with what they answer or refuse. */
const everyFunction = `
  local function try(f, argument) return {pcall(f, argument)} end
  return {
    try(search.keyword, 'repo:^REPO$ type:path a'), try(search.nls, 'repo:^REPO$ export'), try(search.repos, 'REPO'),
    try(search.commits, {repos = {'REPO'}}), try(search.diffs, {repos = {'^REPO$'}, pattern = 'export'}),
    try(source.read_file, {repo = 'REPO', path = 'src/a.ts'}), try(source.list_files, {repo = 'REPO'}),
    try(code.definition, {repo = 'REPO', path = 'src/a.ts', symbol = 'a'}),
    try(code.references, {repo = 'REPO', path = 'src/a.ts', symbol = 'a'}), try(tools.list_refs, {repo = 'REPO'}),
  }`;

/** Same length as `secret`, so that not even a length tells them apart. */
const missing = 'absent';

let server: TwoRepositories;
beforeAll(async () => {
  server = await serveTwoRepositories();
});
afterAll(() => server[Symbol.asyncDispose]());

async function answer(
  name: string,
  args: object,
  token: string,
): Promise<{ status: number; headers: object; text: string }> {
  const response = await post(server.url, call(name, args), { path: '/.api/mcp/all', token });
  const headers = Object.fromEntries(
    [...response.headers].filter(([header]) => !['date', 'x-request-id'].includes(header)),
  );
  return { status: response.status, headers, text: withoutTokens(await response.text()) };
}

/** Read tokens of conversations are random. */
const withoutTokens = (text: string): string => text.replaceAll(/(?<![\w-])[\w-]{32}(?![\w-])/g, '<token>');

test('every tool is asked', async () => {
  const response = await post(
    server.url,
    { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    { path: '/.api/mcp/all', token: server.aliceToken },
  );
  const { result } = (await response.json()) as { result: { tools: { name: string }[] } };
  expect(result.tools.map(({ name }) => name)).toEqual([...Object.keys(asking), ...askedBelow].toSorted());
});

describe('a repository that the caller may not read is indistinguishable from one that does not exist', () => {
  test.each(Object.entries(asking))('%s', async (name, argsFor) => {
    const hidden = await answer(name, argsFor('secret'), server.aliceToken);
    const absent = await answer(name, argsFor(missing), server.aliceToken);
    expect({ ...hidden, text: hidden.text.replaceAll('secret', missing) }).toEqual(absent);
    // The same question answers something else to those who may read it.
    const allowed = await answer(name, argsFor('secret'), server.adminToken);
    expect(allowed.text).not.toEqual(hidden.text);
    expect(allowed.text).not.toContain('"isError":true');
  });

  test('what only a hidden repository has is not found, counted or suggested by a search', async () => {
    for (const query of ['"# secret"', 'type:repo e', 'select:repo export', 'export rev:v1', 'repo:secre x'])
      expect(
        (await answer('keyword_search', { query }, server.aliceToken)).text.replaceAll('repo:secre', ''),
      ).not.toContain('secret');
    expect((await answer('keyword_search', { query: '"# secret"' }, server.adminToken)).text).toContain(
      '"repo":"secret"',
    );
  });

  test('a hidden repository that cannot be read is no note in answers over all', async () => {
    const over = {
      keyword_search: { query: 'export' },
      evaluator: { script: "return {search.keyword('export'), search.repos('')}" },
      nls_search: { query: 'exported constant' },
      list_repos: { query: '' },
    };
    for (const [name, args] of Object.entries(over)) {
      expect([name, (await answer(name, args, server.aliceToken)).text]).toEqual([
        name,
        expect.not.stringContaining('torn'),
      ]);
      expect([name, (await answer(name, args, server.adminToken)).text]).toEqual([
        name,
        expect.stringContaining('torn'),
      ]);
    }
    for (const path of ['/readyz', '/metrics'])
      for (const authorization of ['', `Bearer ${server.aliceToken}`]) {
        const text = await (await fetch(server.url + path, { headers: { authorization } })).text();
        expect([path, text]).toEqual([path, expect.not.stringMatching(/torn|secret/)]);
      }
  });

  test('a name close to a hidden one gets no suggestion of it', async () => {
    expect((await answer('read_file', { repo: 'secre', path: 'README.md' }, server.aliceToken)).text).not.toContain(
      'secret',
    );
    expect((await answer('read_file', { repo: 'secre', path: 'README.md' }, server.adminToken)).text).toContain(
      'secret',
    );
  });
});
