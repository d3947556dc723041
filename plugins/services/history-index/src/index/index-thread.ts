import { randomUUID } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { messageOf } from '@sextant/core';
import { Arena, ShardBuilder, Workspace } from '@sextant/library-block-index';
import { LoadedShards } from './loaded-shards.ts';
import type { Answered, Asked, CommitTexts, IndexAnswer, IndexRequest } from './protocol.ts';
import { ShardFiles } from './shard-files.ts';

/** Address space; real memory is what is touched. */
const arenaBytes = 1 << 30;
const loaded = new LoadedShards(new Workspace(Arena.create(arenaBytes)));

parentPort?.on('message', ({ id, request }: Asked) => {
  let answered: Answered;
  try {
    answered = { id, answer: answer(request) };
  } catch (error) {
    answered = { id, failure: messageOf(error) };
  }
  parentPort?.postMessage(answered);
});

function answer(request: IndexRequest): IndexAnswer {
  if (request.kind === 'build') return build(request.folder, request.texts);
  return request.shards.map((name) => loaded.find(new ShardFiles(request.folder, name), request.regex));
}

function build(folder: string, { hashes, text, ends }: CommitTexts): undefined {
  const builder = new ShardBuilder();
  hashes.forEach((_, index) => builder.add(text.subarray(ends[index - 1] ?? 0, ends[index])));
  // Never a name that was there before: what was loaded under one stays what it was.
  new ShardFiles(folder, randomUUID()).write(builder.finish(), text, hashes);
}
