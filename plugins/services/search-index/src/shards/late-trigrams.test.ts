import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Arena, Shard, ShardBuilder, Workspace } from '@sextant/library-block-index';
import { temporaryFolder } from '@sextant/contracts/testing';
import { expect, test } from 'vitest';
import { LateTrigrams } from './load.ts';
import { ShardFiles } from './shard-files.ts';

const workspace = new Workspace(Arena.create(16 << 20));

function build(text: string, withTrigrams: boolean): Uint8Array {
  const builder = new ShardBuilder({ withTrigrams });
  builder.add(Buffer.from(text));
  return builder.finish();
}

function dropped(name: string, { handle, documents }: Shard, keyed: Uint32Array): Parameters<LateTrigrams['close']>[0] {
  const content = { descriptor: 0, address: new Uint32Array(1) };
  return { name, loaded: { handle, trigrams: keyed, content, documents } };
}

test('keys that come when their shard was dropped are not those of another at its place, and nothing of them stays', () => {
  using folder = temporaryFolder();
  mkdirSync(join(folder.path, 'shards'));
  const files = new ShardFiles(join(folder.path, 'shards'), '1-1-a');
  const shards = new LateTrigrams(workspace);
  const before = workspace.arena.taken;
  const first = Shard.load(workspace, build('first\n', false));
  shards.close(dropped(files.name, first, shards.open(first, files.name)));
  first.release(workspace);
  const second = Shard.load(workspace, build('other\n', false));
  expect(second.handle.address).toBe(first.handle.address);
  const keyed = shards.open(second, '2-1-b');
  writeFileSync(files.shard, build('first\n', true));
  shards.load(files);
  expect([...keyed]).toEqual([0, 0]);
  expect(readdirSync(files.folder)).toEqual([]);
  shards.close(dropped('2-1-b', second, keyed));
  second.release(workspace);
  expect(workspace.arena.taken).toBe(before);
});

test('keys that are there are given back with their shard', () => {
  using folder = temporaryFolder();
  const files = new ShardFiles(folder.path, '1-1-a');
  const shards = new LateTrigrams(workspace);
  const before = workspace.arena.taken;
  const shard = Shard.load(workspace, build('first\n', false));
  const keyed = shards.open(shard, files.name);
  writeFileSync(files.shard, build('first\n', true));
  shards.load(files);
  const [address = 0, bytes = 0] = keyed;
  expect(Shard.attach(workspace, { address, bytes }).hasTrigrams).toBe(true);
  shards.close(dropped(files.name, shard, keyed));
  shard.release(workspace);
  expect(workspace.arena.taken).toBe(before);
});
