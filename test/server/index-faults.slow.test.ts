import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { describe, expect, test } from 'vitest';

const bin = fileURLToPath(new URL('../../host/bin/sextant.js', import.meta.url));
const text = 'some text of a file, and a needle in it\n'.repeat(2000);
const files = 40;

interface Place extends Disposable {
  readonly command: readonly string[];
  /** Files of the index. */
  written(): string[];
}

function place(): Place {
  const folder = temporaryFolder();
  const made = new RepositoryBuilder({ folder: join(folder.path, 'r.git'), isBare: true });
  made.commit({ files: Object.fromEntries(Array.from({ length: files }, (_, i) => [`f${i}.txt`, i + text])) });
  const config = join(folder.path, 'sextant.config.json');
  writeFileSync(config, JSON.stringify({ repositories: [{ path: made.folder }] }));
  const data = join(folder.path, 'data');
  return {
    command: [process.execPath, bin, 'index', '--config', config, '--data', data],
    written: () =>
      readdirSync(join(data, 'search-index'), { recursive: true, encoding: 'utf8' }).filter((name) =>
        /\.(text|shard|table|partial)$/.test(name),
      ),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

const indexed = `${files} files of 1 repositories; by name only: 0 binary, 0 too large, 0 without text, 0 that the repository lacks; 0 generated`;

function index([program = '', ...args]: readonly string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

describe('`sextant index`', () => {
  test('that may not write what it must says why, leaves nothing behind, and succeeds when it may', () => {
    using shop = place();
    // Files of at most 512 KB, and no signal to whoever tries more: the real thing without a disk that is full.
    const limited = index(['bash', '-c', 'trap "" XFSZ; ulimit -f 512; exec "$@"', 'bash', ...shop.command]);
    expect(limited.status).toBe(1);
    expect(limited.output).toContain('a file of the index may not be as large as it must');
    expect(shop.written()).toEqual([]);
    expect(index(shop.command)).toMatchObject({ status: 0, output: expect.stringContaining(indexed) });
  });

  test('that is killed at any moment is completed by the next one', async () => {
    using shop = place();
    const [program = '', ...args] = shop.command;
    for (const milliseconds of [600, 900, 1200]) {
      const child = spawn(program, args, { stdio: 'ignore' });
      const ended = once(child, 'exit');
      await after(milliseconds);
      child.kill('SIGKILL');
      await ended;
    }
    expect(index(shop.command)).toMatchObject({ status: 0, output: expect.stringContaining(indexed) });
    expect(
      shop
        .written()
        .map((name) => name.replace(/^.*\./, ''))
        .sort(),
    ).toEqual(['shard', 'table', 'text']);
  });
});
