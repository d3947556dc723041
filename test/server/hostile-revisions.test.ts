import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, post } from '../support/rpc.ts';
import { serveTwoRepositories } from './two-repositories.ts';
import type { TwoRepositories } from './two-repositories.ts';

/** Anything that could be taken for an option or a range, or names something else than one commit. */
const refused = [
  '--x',
  '-h',
  '--output=/tmp/x',
  '--upload-pack=x',
  'main..main~1',
  'main...main~1',
  '^main',
  'main^@',
  'main^!',
  '@{u}',
  'main@{1}',
  'main@{upstream}',
  ':/change',
  'main^{/change}',
  'main:src/a.ts',
  ':0:README.md',
  'ma in',
  'main\n',
  'main\0',
  'main\u0000--x',
  '*',
  'refs/heads/*',
  'main?',
  '[m]ain',
  '../../etc/passwd',
  '',
  ' ',
  'main^{tree}',
  'main^{blob}',
  'x'.repeat(10_240),
  '\\',
  'main~99999999999',
];

const places: Readonly<Record<string, (revision: string) => [tool: string, args: object]>> = {
  'read_file revision': (revision) => ['read_file', { repo: 'open', path: 'src/a.ts', revision }],
  'list_files revision': (revision) => ['list_files', { repo: 'open', revision }],
  'list_refs containsCommit': (containsCommit) => ['list_refs', { repo: 'open', containsCommit }],
  'go_to_definition revision': (revision) => [
    'go_to_definition',
    { repo: 'open', path: 'src/a.ts', symbol: 'a', revision },
  ],
  'find_references revision': (revision) => [
    'find_references',
    { repo: 'open', path: 'src/a.ts', symbol: 'a', revision },
  ],
  'compare_revisions base': (base) => ['compare_revisions', { repo: 'open', base, head: 'main' }],
  'compare_revisions head': (head) => ['compare_revisions', { repo: 'open', base: 'main', head }],
};

let server: TwoRepositories;
beforeAll(async () => {
  server = await serveTwoRepositories();
});
afterAll(() => server[Symbol.asyncDispose]());

interface ToolResult {
  isError?: boolean;
  content: { text: string }[];
}

async function ask(name: string, args: object): Promise<ToolResult> {
  const response = await post(server.url, call(name, args), { path: '/.api/mcp/all', token: server.aliceToken });
  const { result } = (await response.json()) as { result: ToolResult };
  return result;
}

describe.each(Object.entries(places))('%s', (_place, argsFor) => {
  test.each(refused.map((revision) => [JSON.stringify(revision).slice(0, 40), revision] as const))(
    'refuses %s',
    async (_shown, revision) => {
      const { isError, content } = await ask(...argsFor(revision));
      expect(isError).toBe(true);
      expect(content[0]?.text).not.toMatch(/fatal|internal error|usage:|\/tmp\/sextant/);
    },
  );

  test.each(['main', 'v1', 'main~1', 'HEAD', 'refs/heads/main', 'v1^0', 'main^{commit}'])(
    'takes %s',
    async (revision) => {
      const result = await ask(...argsFor(revision));
      expect(result.isError, result.content[0]?.text).not.toBe(true);
    },
  );
});

describe('a path never leaves the repository', () => {
  test.each([
    '../secret/README.md',
    '/etc/passwd',
    'src/../../secret/README.md',
    './README.md',
    'src//a.ts',
    'README.md\0',
    '.git/config',
    'src/.',
    '..',
  ])('refuses %j', async (path) => {
    expect(await ask('read_file', { repo: 'open', path })).toMatchObject({ isError: true });
    expect(await ask('list_files', { repo: 'open', path })).toMatchObject({ isError: true });
  });

  test.each(['../open', './open', 'open/', '/open', 'open/../secret', 'OPEN', 'open\0', '', '.', 'open/.git'])(
    'no repository is named %j',
    async (repo) => {
      expect(await ask('read_file', { repo, path: 'README.md' })).toMatchObject({ isError: true });
    },
  );
});
