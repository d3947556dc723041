import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import type { TemporaryFolder } from '@sextant/contracts/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import git from '../../plugins/services/git/src/index.ts';
import historyIndex from '../../plugins/services/history-index/src/index.ts';
import toolCommitSearch from '../../plugins/tools/commit-search/src/index.ts';
import toolDiffSearch from '../../plugins/tools/diff-search/src/index.ts';
import toolContributors from '../../plugins/tools/get-contributor-repos/src/index.ts';
import { call, post } from '../support/rpc.ts';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

let folder: TemporaryFolder;
let server: TestServer;
beforeAll(async () => {
  folder = temporaryFolder();
  const shop = new RepositoryBuilder({ folder: join(folder.path, 'shop') });
  shop.commit({ files: { a: 'alpha\n' } });
  shop.commit({ files: { a: 'beta\n' }, message: 'second' });
  shop.tag({ name: 'v1' });
  new RepositoryBuilder({ folder: join(folder.path, 'secret') }).commit();
  execFileSync('git', ['clone', '-q', '--depth=1', `file://${shop.folder}`, join(folder.path, 'cut')]);
  const repositories = ['shop', 'secret', 'cut'].map((name) => ({
    path: join(folder.path, name),
    ...(name === 'secret' && { access: {} }),
  }));
  const plugins = [git, historyIndex, toolCommitSearch, toolDiffSearch, toolContributors];
  server = await startServer({ plugins, configs: { 'service-git': { repositories } } });
});
afterAll(async () => {
  await server.close();
  folder[Symbol.dispose]();
});

/** What a model reads. */
async function ask(tool: string, args: object): Promise<{ isError?: boolean; text: string }> {
  const response = await post(server.url, call(tool, args), { path: '/.api/mcp/all' });
  const { result } = (await response.json()) as { result: { isError?: boolean; content: { text: string }[] } };
  const text = result.content.map((part) => part.text).join('\n');
  return { ...(result.isError && { isError: true }), text: text.replace(/ Valid arguments: .*$/, '') };
}

const commits = (args: object) => ['commit_search', { repos: ['shop'], ...args }] as const;
const diffs = (args: object) => ['diff_search', { repos: ['^shop$'], pattern: 'alpha', ...args }] as const;
const numbered = Array.from({ length: 1000 }, (_, i) => `term ${i}`);

describe('what cannot be searched says what is wrong and what is allowed', () => {
  test.each([
    [commits({ repos: ['secret'] }), 'repository "secret" not found. list_repos shows the names that you can use.'],
    [diffs({ repos: ['secret'] }), 'no repository matches "secret". list_repos shows the names that you can use.'],
    [commits({ repos: [] }), /^Argument "repos": must be at least 1 value.*, got 0\.$/],
    [
      commits({ messageTerms: [''] }),
      'Argument "messageTerms": must be at most 100 values of 1 to 1000 characters each.',
    ],
    [
      commits({ contentTerms: numbered }),
      'Argument "contentTerms": must be at most 100 values of 1 to 1000 characters each.',
    ],
    [diffs({ pattern: 'x'.repeat(1001) }), 'Argument "pattern": must be at most 1000 characters, got 1001.'],
    [
      diffs({ pattern: 'a\nb' }),
      'Argument "pattern": text is looked for within one line; search its lines one by one.',
    ],
    [
      commits({ before: '2026-02-30' }),
      'Argument "before": "2026-02-30" is no date; write 2026-01-31, 2026-01-31T12:00:00Z, 2 weeks ago, yesterday or november 1 2019 (UTC).',
    ],
    [
      diffs({ after: '2026-01-02', before: '2026-01-01' }),
      'Argument "after": "2026-01-02" is later than "before" ("2026-01-01"), so that no commit lies between them.',
    ],
    [
      commits({ files: ['src/[a'] }),
      'Argument "files": the glob "src/[a" has a "[" without "]"; write \\[ for the character itself.',
    ],
    [
      commits({ revisions: ['*refs/[a'] }),
      'Argument "revisions": the glob "refs/[a" has a "[" without "]"; write \\[ for the character itself.',
    ],
    [
      commits({ messageTerms: ['a('], useRegex: true }),
      'Argument "messageTerms": "a(" cannot be used: this ( is never closed; write \\( for the character itself (at position 1).',
    ],
    [diffs({ pattern: '(?=a)', useRegex: true }), /"pattern": "\(\?=a\)" cannot be used: look-around .* AND and NOT/],
    [diffs({ repos: ['*'] }), /^Argument "repos": "\*" cannot be used: there is nothing to repeat;/],
    [commits({ count: 0 }), 'Argument "count": must be at least 1, got 0.'],
    [commits({ count: 101 }), 'Argument "count": must be at most 100, got 101.'],
    [diffs({ count: 51 }), 'Argument "count": must be at most 50, got 51.'],
    [diffs({ count: 2.5 }), 'Argument "count": must be a whole number, got 2.5.'],
    [
      commits({ revisions: ['v11'] }),
      'revision "v11" not found; list_refs shows the branches and tags. The default branch is "main". Did you mean "v1"?',
    ],
    [
      commits({ revisions: ['main', '^nope'] }),
      'revision "^nope" not found; list_refs shows the branches and tags. The default branch is "main".',
    ],
    [commits({ revisions: ['*refs/pull/*'] }), /^revision "\*refs\/pull\/\*" not found;/],
    [commits({ revisions: ['main...v1'] }), /main\.\.\.v1/],
    [commits({ revisions: ['--all'] }), /^revision must not begin with "-"; give a branch, a tag,/],
    [['get_contributor_repos', { authors: [] }], /^Argument "authors": must be at least 1 value/],
    [['get_contributor_repos', { authors: ['a'], limit: 101 }], 'Argument "limit": must be at most 100, got 101.'],
  ] as const)('%j', async ([tool, args], expected) => {
    const { isError, text } = await ask(tool, args);
    expect(isError).toBe(true);
    if (typeof expected === 'string') expect(text).toBe(expected);
    else expect(text).toMatch(expected);
  });
});

describe('what can be searched in part is, and the rest is named', () => {
  test('unknown and hidden repositories in a list, the same way', async () => {
    const { isError, text } = await ask(...commits({ repos: ['secret', 'nope', 'shop', 'shpo'] }));
    expect(isError).toBeUndefined();
    expect(text).toMatch(/^shop [0-9a-f]{12} .*: second$/m);
    for (const note of ['"secret" not found.]', '"nope" not found.]', '"shpo" not found. Did you mean "shop"?]'])
      expect(text).toContain(`[repository ${note}`);
  });

  test('a revision that only some repositories have', async () => {
    const { isError, text } = await ask(...commits({ repos: ['shop', 'cut'], revisions: ['v1~1'] }));
    expect([isError, text.includes('change 0')]).toEqual([undefined, true]);
    expect(text).toContain('[cut has no revision "v1~1".]');
  });

  test('a shallow clone says that its history is cut', async () => {
    expect((await ask(...diffs({ repos: ['cut'] }))).text).toContain(
      '[The history of cut is cut: it is a shallow clone. ',
    );
  });
});
