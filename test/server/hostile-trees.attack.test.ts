import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commitTreeBomb, RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { expect, test } from 'vitest';
import { call, post } from '../support/rpc.ts';
import { startSextant } from '../support/processes.ts';
import type { Started } from '../support/processes.ts';

const patient = { timeout: 90_000 };

interface Answer {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
}

async function ask({ url, token }: Started, tool: string, args: object): Promise<{ isError: boolean; text: string }> {
  const response = await post(url, call(tool, args), { path: '/.api/mcp/all', token });
  const { result } = (await response.json()) as { result: Answer };
  return { isError: result.isError === true, text: result.content.map(({ text }) => text).join('\n') };
}

function repositoriesIn(
  folder: string,
  { bombs, ...size }: { bombs: number; levels: number; width: number; name?: string },
): void {
  for (let number = 0; number < bombs; number += 1) {
    const bomb = new RepositoryBuilder({ folder: join(folder, `a-bomb-${number}.git`), isBare: true });
    commitTreeBomb(bomb, size);
  }
  for (const name of ['shop', 'tools']) {
    const builder = new RepositoryBuilder({ folder: join(folder, `${name}.git`), isBare: true });
    builder.commit({ files: { 'src/a.ts': `export const needle = '${name}';\n` } });
  }
}

/** A server whose heap is small: it may not hold what these repositories list. */
async function startSmall(
  folder: string,
  { megabytes, plugins }: { megabytes: number; plugins: object },
): Promise<Started> {
  const before = process.env['NODE_OPTIONS'];
  process.env['NODE_OPTIONS'] = `--max-old-space-size=${megabytes}`;
  try {
    const config = join(folder, 'sextant.config.json');
    writeFileSync(config, JSON.stringify({ logLevel: 'warn', repositories: [{ path: 'git' }], plugins }));
    return await startSextant(['--config', config, '--data', join(folder, 'data')]);
  } finally {
    if (before === undefined) delete process.env['NODE_OPTIONS'];
    else process.env['NODE_OPTIONS'] = before;
  }
}

test('beside repositories of 10^10 paths each, healthy ones are indexed and answer, and the others are named', async () => {
  using folder = temporaryFolder();
  repositoriesIn(join(folder.path, 'git'), { bombs: 4, levels: 10, width: 10 });
  const server = await startSmall(folder.path, {
    megabytes: 256,
    plugins: { 'service-git': { treeEntries: 100_000 } },
  });
  try {
    const search = async (): Promise<string> => (await ask(server, 'keyword_search', { query: 'needle' })).text;
    await expect.poll(search, patient).toMatch(/Not searched:(?: a-bomb-\d since \d{4}-[^ ]+Z,?){4} .*treeEntries/);
    expect(await search()).toMatch(/shop[^]*tools|tools[^]*shop/);
    expect(await ask(server, 'nls_search', { query: 'where is the needle' })).toMatchObject({
      isError: false,
      text: expect.stringContaining('Not searched: a-bomb-0 since'),
    });
    expect(await ask(server, 'keyword_search', { query: 'needle repo:a-bomb-3' })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/a-bomb-3 since .* has more than \d+ files/),
    });
    const folders = Array.from({ length: 10 }, () => '000007').join('/');
    expect((await ask(server, 'list_files', { repo: 'a-bomb-1', path: '000007' })).isError).toBe(false);
    expect((await ask(server, 'read_file', { repo: 'a-bomb-1', path: folders })).text).toContain('boom');
    const page = await fetch(`${server.url}/site-admin/repositories`, {
      headers: { authorization: `Bearer ${server.token}` },
    });
    expect(page.status).toBeLessThan(500);
    expect(peakMegabytes(server)).toBeLessThan(1500);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  } finally {
    await server.stop();
  }
}, 180_000);

test('a repository with nearly as many paths as are listed, in few objects, is named before they are all in memory', async () => {
  using folder = temporaryFolder();
  // Of half a gigabyte the default is more than half a million.
  repositoriesIn(join(folder.path, 'git'), { bombs: 2, levels: 17, width: 2, name: 'a'.repeat(200) });
  const server = await startSmall(folder.path, { megabytes: 512, plugins: {} });
  try {
    const search = async (): Promise<string> => (await ask(server, 'keyword_search', { query: 'needle' })).text;
    await expect.poll(search, patient).toMatch(/Not searched:(?: a-bomb-\d since \d{4}-[^ ]+Z,?){2} .*bytes of paths/);
    expect(await search()).toMatch(/shop[^]*tools|tools[^]*shop/);
    expect(peakMegabytes(server)).toBeLessThan(1000);
  } finally {
    await server.stop();
  }
}, 180_000);

/** Of all memory that the process ever had at once. */
function peakMegabytes({ process: { pid } }: Started): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}
