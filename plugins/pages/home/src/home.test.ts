import { SextantError, silentLogger } from '@sextant/core';
import type { Call, Caller, Needs, Page, Resolved } from '@sextant/core';
import { callerOf } from '@sextant/core/testing';
import type { IndexStates, RepositoryInfo } from '@sextant/contracts';
import { memorySessions, oneRepository } from '@sextant/contracts/testing';
import { describe, expect, it } from 'vitest';
import plugin from './index.ts';
import { descriptionIn } from './overview.ts';

const [page] = plugin.pages;
const info = (name: string, more: Partial<RepositoryInfo> = {}): RepositoryInfo => ({
  name,
  description: '',
  isPrivate: false,
  isArchived: false,
  isFork: false,
  defaultBranch: 'main',
  ...more,
});
const infos = [
  info('acme/shop', { description: '<b>Sells</b>', clone: { state: 'ready', fetched: new Date().toISOString() } }),
  info('acme/new', { clone: { state: 'cloning' } }),
  info('local'),
];
const states: IndexStates = {
  list: async ({ user }) => [
    { repo: 'acme/shop', state: 'indexed', files: 1204 },
    { repo: 'local', state: 'failed', files: 0, ...(user.isSiteAdmin && { reason: 'disk full' }) },
  ],
  refresh: async () => {},
};
const services = (more: object = {}): Resolved<Needs> => ({
  externalURL: 'https://code.example.com',
  repositories: { ...oneRepository({}), list: async () => infos },
  links: { file: ({ repo }: { repo: string }) => `https://code.example.com/${repo}`, commit: () => '' },
  states,
  sessions: { ...memorySessions(), ways: () => [{ name: 'password', title: 'Password', path: '/sign-in/password' }] },
  settings: { isMcpEnabled: true, endpoints: [], isClientRegistrationEnabled: true },
  toolbox: {
    tools: [
      {
        name: 'read_file',
        title: 'Read a file',
        description: 'Lines of one file, as of v1.2. A file over 128 KB gives less.',
        inputSchema: {},
      },
    ],
  },
  ...more,
});
const nobody = callerOf('', { id: 0, scopes: [], permissions: [] });

async function open(caller: Caller, path = '/', more: object = {}): Promise<string> {
  const call: Call = {
    caller,
    endpoint: '/',
    signal: new AbortController().signal,
    log: silentLogger,
    navigation: [{ title: 'Search', path: '/search' }],
    reportProgress() {},
  };
  const request = new Request(`http://localhost${path}`);
  return (await (page as Page).respond(request, services(more), call)).text();
}

describe('the home page', () => {
  it('lists the repositories that the viewer may read, with the state of their index and when they were fetched', async () => {
    const text = await open(callerOf('alice'));
    expect(text).toContain('<h2 id="repositories">3 repositories</h2>');
    expect(text).toContain('href="/acme/shop">acme/shop</a>');
    expect(text).toContain('1,204 files');
    for (const state of ['Indexed', 'Cloning', 'Failed', 'just now', 'Read in place', '&lt;b>Sells'])
      expect(text).toContain(state);
  });

  it('says why an index failed to administrators only', async () => {
    expect(await open(callerOf('root', { isSiteAdmin: true }))).toContain('disk full');
    expect(await open(callerOf('alice'))).not.toContain('disk full');
  });

  it('has, for each client, lines with the address of this server: OAuth first, then a token that is named and not shown', async () => {
    const text = await open(callerOf('alice'));
    const first = text.indexOf('claude mcp add --transport http sextant https://code.example.com/.api/mcp</pre>');
    const second = text.indexOf(
      'https://code.example.com/.api/mcp --header &quot;Authorization: Bearer $SEXTANT_TOKEN&quot;</pre>',
    );
    expect(first).toBeGreaterThan(0);
    expect(second).toBeGreaterThan(first);
    for (const client of ['Claude Code', 'Cursor', 'VS Code', 'Codex', 'Gemini CLI', 'Any other client'])
      expect(text).toContain(`<summary>${client}</summary>`);
  });

  it('tells what each tool does', async () => {
    expect(await open(callerOf('alice'))).toContain(
      '<dt>Read a file<code>read_file</code></dt><dd>Lines of one file, as of v1.2.</dd>',
    );
  });

  it('says so where MCP is switched off', async () => {
    const settings = { isMcpEnabled: false, endpoints: [], isClientRegistrationEnabled: false };
    const text = await open(callerOf('alice'), '/', { settings });
    expect(text).toContain('MCP is switched off');
    expect(text).not.toContain('claude mcp add');
  });
});

describe('someone who is not signed in', () => {
  it('sees what this is and where to sign in, and nothing of repositories', async () => {
    const refuse = async (): Promise<never> => {
      throw new SextantError('internal', 'nobody may ask');
    };
    const text = await open(nobody, '/?filter=acme', {
      repositories: { list: refuse, open: refuse },
      states: { list: refuse },
    });
    expect(text).toContain('href="/sign-in">Sign in</a>');
    expect(text).not.toMatch(/acme|repositories<\/h2>/);
  });
});

describe('many repositories', () => {
  const list = async () => Array.from({ length: 250 }, (_, index) => info(`repo-${index}`));
  const many = { repositories: { ...oneRepository({}), list } };

  it('come a hundred a page', async () => {
    const text = await open(callerOf('alice'), '/?page=2', many);
    expect(text).toContain('101–200 of 250');
    expect(text).toContain('href="/?page=3"');
    expect(text.match(/href="\/repo-/g)).toHaveLength(100);
  });

  it.each(['0', '-1', '999', 'x', '1e9'])('have a page for %j', async (number) => {
    expect(await open(callerOf('alice'), `/?page=${number}`, many)).toMatch(/(1–100|201–250) of 250/);
  });

  it('are narrowed by a part of their names, in any case', async () => {
    const text = await open(callerOf('alice'), '/?filter=REPO-24', many);
    expect(text.match(/href="\/repo-/g)).toHaveLength(11);
    expect(await open(callerOf('alice'), '/?filter=%3Cscript%3E', many)).toContain(
      'No repository has “&lt;script>” in its name.',
    );
  });
});

describe('a read-me', () => {
  it.each([
    [
      '# Shop\n\n[![CI](https://ci/a.svg)](https://ci)\n\nSells *many* [things](/a) to `people`.\n',
      'Sells many things to people.',
    ],
    ['<h1 align="center">Shop</h1>\n\n> Sells many things to people.\n', 'Sells many things to people.'],
    ['Shop\n====\nSells many things\nto people.\n\nMore.', 'Shop Sells many things to people.'],
    ['# Shop\n\n- one thing that is sold here\n- another thing that is sold here\n', ''],
    [
      'We are excited to announce a new release!\n\nShop is the place where things are sold.\n',
      'Shop is the place where things are sold.',
    ],
    ['Our work is supported. Special thanks to:\n\nThis is where things are sold.', 'This is where things are sold.'],
    [
      'This README is a *quick start*.\n\nWhat is it?\n---\n\nA place where things are sold.',
      'A place where things are sold.',
    ],
    ['acme/shop is a simple, fast, and fun place with:', 'acme/shop is a simple, fast, and fun place with …'],
    [
      'Shop sells.\n\nShop provides a place to sell.\n\nShop has a gem which is a place.',
      'Shop provides a place to sell.',
    ],
    [
      'Sells many things to people.\n\nhttps://example.com/acme/shop is a place to sell.',
      'https://example.com/acme/shop is a place to sell.',
    ],
    ['Sells many things to people.\n\na/b/c/d/e/shop is a place to sell.', 'Sells many things to people.'],
    ['Sells many things to people.\n\n<!-- Shop is a place that is not shown.', 'Sells many things to people.'],
    ['Shop - _means place_ - is a tool of snake_case.', 'Shop - means place - is a tool of snake_case.'],
    ['Shop is a store for all, with a focus on being:\n\n- fast', 'Shop is a store for all.'],
    ['Shop is a store that offers you:\n\n- things', 'Shop is a store that offers you …'],
    ['```\nnpm install the-shop-of-many-things\n```\n', ''],
  ])('%j says %j of its repository', (text, said) => {
    expect(descriptionIn(text, 'acme/shop')).toBe(said);
  });

  it('is cut at the end of a sentence, or between words', () => {
    const sentence = 'It sells many things to people who like them. ';
    expect(descriptionIn(sentence.repeat(9), 'shop')).toBe(sentence.repeat(3).trim());
    expect(descriptionIn('word '.repeat(99), 'shop')).toMatch(/^(word )+…$/);
  });
});
