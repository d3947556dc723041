import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { expect, test } from 'vitest';
import { call, post } from '../support/rpc.ts';
import { startSextant } from '../support/processes.ts';

const bin = fileURLToPath(new URL('../../host/bin/sextant.js', import.meta.url));

async function sextant(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [bin, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const written = { stdout: '', stderr: '' };
  child.stdout.on('data', (text) => (written.stdout += String(text)));
  child.stderr.on('data', (text) => (written.stderr += String(text)));
  const [code] = await once(child, 'close');
  return { code, ...written };
}

async function listRepositories(url: string, token: string): Promise<{ status: number; text: string }> {
  const response = await post(url, call('list_repos', { query: '' }), { token });
  return { status: response.status, text: await response.text() };
}

/** Calls until told to stop, each of which is recorded in the database. */
function load(url: string, token: string): () => Promise<number> {
  const over = new AbortController();
  const caller = async (): Promise<number> => {
    let calls = 0;
    for (; !over.signal.aborted; calls += 1) await listRepositories(url, token);
    return calls;
  };
  const callers = Promise.all(Array.from({ length: 4 }, caller));
  return async () => {
    over.abort();
    return (await callers).reduce((sum, calls) => sum + calls, 0);
  };
}

test('a backup that is made under load restores users, tokens and uploaded files; indexes are built again', async () => {
  using folder = temporaryFolder();
  const at = (name: string): string => join(folder.path, name);
  new RepositoryBuilder({ folder: at('shop') }).commit({ files: { 'a.ts': 'export const a = 1;\n' } });
  const config = at('sextant.config.json');
  writeFileSync(config, JSON.stringify({ repositories: [{ path: 'shop' }], logLevel: 'warn' }));
  const where = ['--config', config];
  const server = await startSextant(where);
  try {
    mkdirSync(at('.sextant/plugins/of-a-stranger'), { recursive: true });
    writeFileSync(at('.sextant/plugins/of-a-stranger/notes.txt'), 'kept');
    expect(await sextant('user', 'add', 'ann', ...where)).toMatchObject({ code: 0 });
    const token = /sxt_\w+/.exec((await sextant('token', 'create', '--user', 'ann', ...where)).stdout)?.[0] ?? '';
    const stop = load(server.url, server.token);
    const made = await sextant('backup', at('backup'), ...where);
    expect(await stop()).toBeGreaterThan(0);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(made.stdout).toMatch(
      /^backed up \d+ files, [\d.]+ MB, to .*backup\nleft out, because the server makes it again: .*search-index/,
    );
    expect(readdirSync(at('backup'))).not.toContain('search-index');
    expect(statSync(at('backup/sextant.db')).mode & 0o777).toBe(0o600);

    expect(await sextant('restore', at('backup'), ...where)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('.sextant is not empty; name a folder that is missing or empty'),
    });
    const restored = await sextant('restore', at('backup'), ...where, '--data', at('restored'));
    expect(restored).toMatchObject({ code: 0, stdout: expect.stringMatching(/^restored \d+ files/) });
    expect(readFileSync(at('restored/plugins/of-a-stranger/notes.txt'), 'utf8')).toBe('kept');
    const again = await startSextant([...where, '--data', at('restored')]);
    try {
      expect(again.token).toBe('');
      expect(await listRepositories(again.url, token)).toMatchObject({
        status: 200,
        text: expect.stringContaining('shop'),
      });
    } finally {
      await again.stop();
    }
  } finally {
    await server.stop();
  }
});

test('a damaged, cut off or foreign backup is refused, and nothing is left of it', async () => {
  using folder = temporaryFolder();
  const at = (name: string): string => join(folder.path, name);
  const config = at('sextant.config.json');
  writeFileSync(config, JSON.stringify({ logLevel: 'warn' }));
  const where = ['--config', config];
  expect(await sextant('backup', at('none'), ...where)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^error: there is no data folder .*\.sextant/),
  });
  expect(await sextant('user', 'add', 'ann', ...where)).toMatchObject({ code: 0 });
  expect(await sextant('backup', at('.sextant/backup'), ...where)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is inside the data folder'),
  });
  expect(await sextant('backup', at('backup'), ...where)).toMatchObject({ code: 0 });
  const to = ['--data', at('restored')];
  const refused = async (change: (list: { files: { path: string }[] }) => void): Promise<string> => {
    const list = JSON.parse(readFileSync(at('backup/backup.json'), 'utf8'));
    const changed = structuredClone(list);
    change(changed);
    writeFileSync(at('backup/backup.json'), JSON.stringify(changed));
    const { code, stderr } = await sextant('restore', at('backup'), ...where, ...to);
    expect(code).toBe(2);
    expect(existsSync(at('restored/sextant.db'))).toBe(false);
    writeFileSync(at('backup/backup.json'), JSON.stringify(list));
    return stderr;
  };
  expect(await refused(({ files }) => void files.push({ ...files[0], path: '../../outside' }))).toContain(
    'it names "../../outside"',
  );
  expect(await refused(({ files }) => void files.push({ ...files[0], path: 'gone' }))).toContain('gone is missing');
  expect(await refused((list) => Object.assign(list, { format: 2 }))).toContain('is damaged, or of a newer version');
  writeFileSync(at('backup/sextant.db'), 'x', { flag: 'a' });
  expect(await refused(() => undefined)).toContain('sextant.db is not as it was when the backup was made');
  expect(await sextant('restore', at('.sextant'), ...where, ...to)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is no backup'),
  });
});
