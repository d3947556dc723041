import { ShardBuilder } from '../build/shard-builder.ts';
import { memorySource } from '../format/byte-source.ts';
import { ResidentContent } from '../format/content.ts';
import { PositionalContent } from '../format/positional-content.ts';
import { Shard } from '../format/shard.ts';
import { Arena } from '../kernel/arena.ts';
import type { SearchPlace } from '../match/query.ts';
import { Workspace } from '../workspace.ts';

const ARENA_BYTES = 256 << 20;

type Check = (place: SearchPlace, mode: 'resident' | 'positional') => void;

export function buildShard(documents: readonly Uint8Array[]): Uint8Array {
  const builder = new ShardBuilder();
  for (const document of documents) builder.add(document);
  return builder.finish();
}

/** One workspace for many shards, one after the other. */
export class Places {
  readonly workspace = new Workspace(Arena.create(ARENA_BYTES));

  /** Runs a check against the documents with their content in memory, then by position; nothing may stay allocated. */
  both(documents: readonly Uint8Array[], check: Check): void {
    const file = buildShard(documents);
    const { workspace } = this;
    const before = workspace.arena.taken;
    const content = Buffer.concat(documents);
    const read = memorySource(content);
    const shard = Shard.load(workspace, file);
    const resident = ResidentContent.load(workspace, shard, read);
    check({ workspace, shard, content: resident }, 'resident');
    workspace.arena.release(resident.address);
    const positional = new PositionalContent(workspace, shard, read);
    check({ workspace, shard, content: positional }, 'positional');
    positional.forget();
    shard.release(workspace);
    workspace.dfas.keepOnly(0);
    if (workspace.arena.taken !== before)
      throw new Error(`${workspace.arena.taken - before} bytes of the arena were not released`);
  }
}
