import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { expect, test } from 'vitest';
import { call, post } from '../support/rpc.ts';
import { startSextant } from '../support/processes.ts';

const lines = (line: string, count: number): string => `${line}\n`.repeat(count);

/** Each is a repository with the commit of a healthy one, and what its name says. Those of `isNamed` cannot be read as a whole. */
const attacks: readonly {
  readonly name: string;
  readonly isNamed: boolean;
  make(builder: RepositoryBuilder, place: { url: string; folder: string }): void;
}[] = [
  {
    name: 'long-shallow',
    isNamed: true,
    make: ({ folder }) => writeFileSync(join(folder, 'shallow'), lines('1'.repeat(40), 100_000)),
  },
  { name: 'fifo-shallow', isNamed: true, make: ({ folder }) => execFileSync('mkfifo', [join(folder, 'shallow')]) },
  {
    name: 'long-head',
    isNamed: true,
    make: ({ folder }) => writeFileSync(join(folder, 'HEAD'), `ref: ${'a'.repeat(1e6)}`),
  },
  {
    name: 'long-config',
    isNamed: true,
    make: ({ folder }) => appendFileSync(join(folder, 'config'), lines('[include]\n\tpath = config', 100_000)),
  },
  {
    name: 'unknown-format',
    isNamed: true,
    make: ({ folder }) =>
      writeFileSync(join(folder, 'config'), '[core]\n\trepositoryformatversion = 1\n[extensions]\n\tevil = 1\n'),
  },
  {
    name: 'linked-objects',
    isNamed: true,
    make: ({ folder }, { folder: outside }) => symlinkSync(outside, join(folder, 'objects', 'aa')),
  },
  {
    name: 'promisor',
    isNamed: true,
    make: (builder, { url }) => {
      builder.git('repack', '-adq');
      const tree = builder.writeObject('tree', Buffer.concat([Buffer.from('100644 gone.ts\0'), Buffer.alloc(20, 1)]));
      builder.git('update-ref', 'refs/heads/main', builder.git('commit-tree', '-m', 'lacks a blob', tree));
      const packs = join(builder.folder, 'objects', 'pack');
      for (const name of readdirSync(packs))
        if (name.endsWith('.pack')) writeFileSync(join(packs, name.replace(/pack$/, 'promisor')), '');
      appendFileSync(
        join(builder.folder, 'config'),
        `[extensions]\n\tpartialClone = origin\n[remote "origin"]\n\turl = ${url}\n\tpromisor = true\n`,
      );
    },
  },
  {
    name: 'long-mailmap',
    isNamed: false,
    make: (builder) =>
      void builder.commit({
        files: { '.mailmap': Array.from({ length: 200_000 }, (_, at) => `A <a@x> <${at}@x>\n`).join('') },
      }),
  },
  {
    name: 'refs-like-options',
    isNamed: false,
    make: (builder) => {
      const commit = builder.git('rev-parse', 'main');
      const names = ['--output=x', '-x', '__proto__', 'HEAD', commit, 'l'.repeat(2000)];
      writeFileSync(
        join(builder.folder, 'packed-refs'),
        names.map((name) => `${commit} refs/heads/${name}\n`).join(''),
      );
    },
  },
  {
    name: 'replaced',
    isNamed: false,
    make: (builder) => {
      const commit = builder.git('rev-parse', 'main');
      mkdirSync(join(builder.folder, 'refs', 'replace'), { recursive: true });
      writeFileSync(join(builder.folder, 'refs', 'replace', commit), `${'2'.repeat(40)}\n`);
      mkdirSync(join(builder.folder, 'info'), { recursive: true });
      writeFileSync(join(builder.folder, 'info', 'grafts'), `${commit} ${commit}\n`);
    },
  },
  {
    name: '__proto__',
    isNamed: false,
    make: (builder) => void builder.commit({ files: { constructor: 'x\n', '__proto__/a': 'x\n' } }),
  },
];

test('beside hostile repositories healthy ones answer every search, and each that cannot be read is named with its reason', async () => {
  using folder = temporaryFolder();
  let contacts = 0;
  const remote = createServer((_request, response) => {
    contacts += 1;
    response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await once(remote, 'listening');
  const url = `http://127.0.0.1:${(remote.address() as AddressInfo).port}/x.git`;
  const outside = join(folder.path, 'outside');
  mkdirSync(outside);
  for (const { name, make } of [{ name: 'shop', make: () => undefined }, ...attacks]) {
    const builder = new RepositoryBuilder({ folder: join(folder.path, 'git', `${name}.git`), isBare: true });
    builder.commit({ files: { 'src/a.ts': `export const needle = '${name}';\n` }, message: `needle of ${name}` });
    make(builder, { url, folder: outside });
  }
  const config = join(folder.path, 'sextant.config.json');
  writeFileSync(config, JSON.stringify({ logLevel: 'warn', repositories: [{ path: 'git' }] }));
  const server = await startSextant(['--config', config]);
  try {
    const ask = async (tool: string, args: object): Promise<string> =>
      (await post(server.url, call(tool, args), { path: '/.api/mcp/all', token: server.token })).text();
    const headers = { authorization: `Bearer ${server.token}` };
    const state = async (): Promise<{ status: string; failed: { name: string; reason: string }[] }> =>
      JSON.parse(await (await fetch(`${server.url}/readyz`, { headers })).text());
    await expect.poll(async () => (await state()).status).toBe('ready');
    for (const [tool, args] of Object.entries({
      keyword_search: { query: 'needle' },
      nls_search: { query: 'where is the needle of the shop' },
      commit_search: { repos: ['.*'], messageTerms: ['needle'] },
      diff_search: { repos: ['.*'], pattern: 'needle' },
      get_contributor_repos: { authors: ['ada'] },
      list_repos: { query: '' },
    })) {
      const answer = await ask(tool, args);
      expect(answer, tool).toContain('shop');
      expect(answer, tool).not.toMatch(/"isError":true|internal error/);
    }
    for (const query of ['type:symbol needle', 'type:commit needle', 'type:diff needle', 'needle rev:main'])
      expect(await ask('keyword_search', { query }), query).toContain('shop');
    const { failed } = await state();
    for (const { name, isNamed } of attacks)
      if (isNamed)
        expect(failed, name).toContainEqual(expect.objectContaining({ name, reason: expect.stringMatching(/../) }));
    expect(failed.filter(({ name }) => name === 'shop')).toEqual([]);
    expect(contacts, 'nothing is fetched to answer').toBe(0);
    expect(existsSync(join(folder.path, 'x'))).toBe(false);
  } finally {
    await server.stop();
    remote.close();
  }
}, 240_000);
