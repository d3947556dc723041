import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { GitStore } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { startPlugins } from '@sextant/core/testing';
import git from '@sextant/service-git';
import { expect, test } from 'vitest';
import { CommitShardFiles } from '../shards/commit-shard-files.ts';
import { CommitShardReader } from '../shards/commit-shard-reader.ts';
import { IngestServer } from '../threads/ingest-server.ts';
import { Ingest } from './ingest.ts';
import type { ShardEntry } from '../shards/manifest.ts';
import type { IngestThread } from './ingest.ts';

const { signal } = new AbortController();
const processes = 3;
const limits = { runBytes: 256 << 10, heldBytes: 512 << 10 };
/** What a command prints before the answer of the thread says that it is enough. */
const partBytes = 640 << 10;

/** Answers like the thread, at once, and notes how much was held at most. */
class WatchedThread implements IngestThread {
  readonly #calls: IngestServer = new IngestServer();
  readonly #held = new Map<number, number>();
  mostHeld = 0;
  commands = 0;

  async call<K extends keyof IngestServer>(
    name: K,
    argument: Parameters<IngestServer[K]>[0],
  ): Promise<Awaited<ReturnType<IngestServer[K]>>> {
    if (name === 'end') this.commands += 1;
    // The compiler does not see that name and argument belong together.
    const call = this.#calls[name].bind(this.#calls) as (
      given: typeof argument,
    ) => Awaited<ReturnType<IngestServer[K]>>;
    const answer = call(argument);
    if (typeof argument === 'object' && 'run' in argument) this.#held.set(argument.run, bytesOf(answer));
    if (name === 'append' && typeof argument === 'object' && 'runs' in argument)
      for (const run of argument.runs) this.#held.delete(run);
    this.mostHeld = Math.max(
      this.mostHeld,
      [...this.#held.values()].reduce((sum, bytes) => sum + bytes, 0),
    );
    return answer;
  }
}

function bytesOf(answer: unknown): number {
  if (typeof answer === 'number') return answer;
  return typeof answer === 'object' && answer && 'bytes' in answer ? Number(answer.bytes) : 0;
}

/** Each commit changes 100 lines of 100 bytes: all in all 12 MB of hunks. */
function importCommits(folder: string, count: number): void {
  const commits = Array.from({ length: count }, (_, number) => {
    const text = Array.from({ length: 100 }, (__, line) => `${number}.${line} `.padEnd(99, 'x')).join('\n');
    const head = `commit refs/heads/main\ncommitter Ada <ada@x> ${1_700_000_000 + number} +0000\ndata 1\nm\n`;
    return `${head}M 100644 inline a\ndata ${text.length}\n${text}\n`;
  });
  execFileSync('git', ['-C', folder, 'fast-import', '--quiet'], { input: commits.join('') });
}

test('what is held while commits are read does not depend on how much they change, and all get into shards in their order', async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'shop.git'), isBare: true });
  importCommits(builder.folder, 600);
  await using plugins = await startPlugins(folder.path, [
    [git, { repositories: [{ name: 'shop', path: builder.folder }] }],
  ]);
  const repository = await plugins.services.resolve({ store: GitStore }).store.find('shop');
  if (!repository) throw new Error('it is served');
  const hashes = builder.git('rev-list', 'main').split('\n');
  const shards = join(folder.path, 'shards');
  mkdirSync(shards);
  const thread = new WatchedThread();
  const written: ShardEntry[] = [];
  const readBefore: number[] = [];
  const onShard = (shard: ShardEntry): void => {
    readBefore.push(ingest.commits);
    written.push(shard);
  };
  const ingest = new Ingest(hashes, { repository, folder: shards, thread, processes, signal, onShard, limits });
  await ingest.run();

  expect(thread.mostHeld).toBeLessThan(limits.heldBytes + processes * (limits.runBytes + partBytes));
  expect(thread.commands).toBeGreaterThan(12);
  expect(written.length).toBeGreaterThan(1);
  expect(readBefore[0]).toBeGreaterThanOrEqual(written[0]?.commits ?? Infinity);
  expect(ingest.commits).toBe(600);
  expect(written.flatMap(({ name }) => hashesOf(new CommitShardFiles(shards, name)))).toEqual(hashes);
});

function hashesOf(files: CommitShardFiles): string[] {
  const reader = new CommitShardReader(files);
  const hashes = Array.from({ length: reader.commits }, (_, commit) => reader.hash(commit));
  reader.close();
  return hashes;
}
