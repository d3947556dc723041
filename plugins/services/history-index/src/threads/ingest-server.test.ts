import { mkdirSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@sextant/contracts/testing';
import { expect, test } from 'vitest';
import { IngestServer } from './ingest-server.ts';

test('a shard that cannot be finished leaves no file open, and closes none twice', () => {
  using folder = temporaryFolder();
  const shards = join(folder.path, 'shards');
  mkdirSync(shards);
  const server = new IngestServer();
  server.append({ folder: shards, name: 'one', runs: [] });
  expect(openIn(shards)).toHaveLength(3);
  rmSync(shards, { recursive: true });
  expect(() => server.finish('one')).toThrow('ENOENT');
  expect(openIn(shards)).toEqual([]);
});

/** What this process has open there, also what was removed since. */
function openIn(path: string): string[] {
  const files = readdirSync('/proc/self/fd').map((number) => {
    try {
      return readlinkSync(`/proc/self/fd/${number}`);
    } catch {
      return ''; // that of the folder itself, which is closed by now
    }
  });
  return files.filter((file) => file.startsWith(path));
}
