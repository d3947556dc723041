import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { Arena, memorySource, ResidentContent, Shard, Workspace } from './index.ts';
import { buildShard } from './testing/places.ts';
import { searchAll } from './testing/search-all.ts';

const source = `
  import { parentPort, workerData } from 'node:worker_threads';
  const { Arena, Matches, ResidentContent, search, Shard, Workspace } = await import(workerData.library);
  const workspace = new Workspace(new Arena(workerData.part));
  const shard = Shard.attach(workspace, workerData.handle);
  const content = new ResidentContent(workspace, workerData.content);
  parentPort.postMessage(Matches.concat([...search({ workspace, shard, content }, { regex: 'nee+dle' })]).data);
`;

test('another thread searches the same shard in the same memory', async () => {
  const documents = [Buffer.from('a needle\n'), Buffer.from('two\nneeedles\n')];
  const text = Buffer.concat(documents);
  const arena = Arena.create(64 << 20);
  const workspace = new Workspace(arena);
  const shard = Shard.load(workspace, buildShard(documents));
  const content = ResidentContent.load(workspace, shard, memorySource(text));
  const workerData = {
    library: new URL('./index.ts', import.meta.url).href,
    part: arena.split(16 << 20),
    handle: shard.handle,
    content: content.address,
  };
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`), { workerData });
  const found = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  await worker.terminate();
  expect(found).toEqual(searchAll({ workspace, shard, content }, { regex: 'nee+dle' }).data);
  expect(found).toHaveLength(12);
});
