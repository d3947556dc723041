import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { describe, expect, it } from 'vitest';
import { GitFolder } from '../storage/git-folder.ts';
import { ObjectReader } from './object-reader.ts';
import { RevisionResolver } from '../refs/revision-resolver.ts';
import { TextReader } from './text-reader.ts';
import { TreeReader } from './tree-reader.ts';

const { signal } = new AbortController();

/** The git processes that this process has started and that still run. */
function readersOf(folder: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return (
          readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder) &&
          !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
        );
      } catch {
        return false;
      }
    })
    .map(Number);
}

function build(folder: string, name: string): { commit: string; folder: GitFolder } {
  const builder = new RepositoryBuilder({ folder: join(folder, name), isBare: true });
  const commit = builder.commit({ files: { a: `${name}\n`, big: 'x'.repeat(3_000_000) } });
  return { commit, folder: new GitFolder(builder.folder) };
}

describe.skipIf(process.platform !== 'linux')('ObjectReader', () => {
  it('answers many questions at once, each with its own answer', async () => {
    using folder = temporaryFolder();
    const { commit, folder: repository } = build(folder.path, 'r');
    const objects = new ObjectReader({ processes: 2, idleSeconds: 60 });
    const names = ['HEAD', 'refs/heads/main:big', 'none', 'HEAD^{tree}', 'HEAD:a'];
    const ids = names.map((name) => {
      try {
        return execFileSync('git', ['--git-dir', repository.path, 'rev-parse', '--verify', '--quiet', name])
          .toString()
          .trim();
      } catch {
        return undefined;
      }
    });
    const asked = Array.from({ length: 200 }, (_, index) => index % names.length);
    const answers = await Promise.all(asked.map((index) => objects.info(repository, names[index] ?? '', signal)));
    expect(answers.map((answer) => (answer === 'ambiguous' ? answer : answer?.id))).toEqual(
      asked.map((index) => ids[index]),
    );
    expect(ids[0]).toBe(commit);
    expect(readersOf(repository.path)).toHaveLength(1);
    objects.close();
  });

  it('goes on for the others when one gives up waiting', async () => {
    using folder = temporaryFolder();
    const { folder: repository } = build(folder.path, 'r');
    const objects = new ObjectReader({ processes: 2, idleSeconds: 60 });
    const big = await objects.info(repository, 'HEAD:big', signal);
    const id = big && big !== 'ambiguous' ? big.id : '';
    const impatient = new AbortController();
    const given = objects.read(repository, id, { maxBytes: 1e9, signal: impatient.signal });
    const patient = Array.from({ length: 5 }, () => objects.read(repository, id, { maxBytes: 1e9, signal }));
    impatient.abort(new Error('enough'));
    await expect(given).rejects.toThrow('enough');
    for (const object of await Promise.all(patient))
      expect(object?.content.equals(Buffer.alloc(3_000_000, 'x'))).toBe(true);
    objects.close();
  });

  it('starts a new process when one was killed', async () => {
    using folder = temporaryFolder();
    const { commit, folder: repository } = build(folder.path, 'r');
    const objects = new ObjectReader({ processes: 2, idleSeconds: 60 });
    await objects.info(repository, 'HEAD', signal);
    const [pid = 0] = readersOf(repository.path);
    const waiting = objects.info(repository, 'HEAD', signal);
    process.kill(pid, 'SIGKILL');
    expect(await waiting).toMatchObject({ id: commit });
    await expect.poll(() => readersOf(repository.path)).not.toContain(pid);
    expect(await objects.info(repository, 'HEAD', signal)).toMatchObject({ id: commit });
    objects.close();
  });

  it('keeps only so many processes, and none that is idle for long or after the end', async () => {
    using folder = temporaryFolder();
    const repositories = ['a', 'b', 'c', 'd'].map((name) => build(folder.path, name));
    const objects = new ObjectReader({ processes: 2, idleSeconds: 1 });
    for (const { commit, folder: repository } of [...repositories, ...repositories])
      expect(await objects.info(repository, 'HEAD', signal)).toMatchObject({ id: commit });
    await expect.poll(() => readersOf(folder.path).length).toBeLessThanOrEqual(2);
    await expect.poll(() => readersOf(folder.path)).toEqual([]);
    await objects.info(new GitFolder(repositories[0]?.folder.path ?? ''), 'HEAD', signal);
    objects.close();
    await expect.poll(() => readersOf(folder.path)).toEqual([]);
  });
});

it('reads what it read before without any process', async () => {
  using folder = temporaryFolder();
  const { commit, folder: repository } = build(folder.path, 'r');
  const objects = new ObjectReader({ processes: 2, idleSeconds: 60 });
  const revisions = new RevisionResolver(objects);
  const trees = new TreeReader(objects, 1e6);
  const texts = new TextReader(objects, trees, 1e6);
  const read = async (): Promise<string> => {
    const key = repository.cacheKey();
    const found = await revisions.resolve({
      folder: repository,
      key,
      revision: undefined,
      signal,
      namesToSuggest: async () => [],
    });
    expect(found).toBe(commit);
    return (await texts.read({ folder: repository, key, commit: found, path: 'a', signal })).text;
  };
  // Refs that were written a moment ago are not remembered yet.
  await new Promise((resolve) => setTimeout(resolve, 1200));
  await read();
  objects.close();
  expect(await read()).toBe('r\n');
  await expect(
    revisions.resolve({
      folder: repository,
      key: repository.cacheKey(),
      revision: 'main',
      signal,
      namesToSuggest: async () => [],
    }),
  ).rejects.toMatchObject({ code: 'unavailable' });
});

it.skipIf(process.platform !== 'linux')(
  'waits once for git where that writes nothing, and for no other repository',
  async () => {
    using folder = temporaryFolder();
    const [stuck, other] = [build(folder.path, 'stuck'), build(folder.path, 'other')];
    const config = join(stuck.folder.path, 'config');
    rmSync(config);
    execFileSync('mkfifo', [config]);
    const objects = new ObjectReader({ processes: 2, idleSeconds: 60, silentSeconds: 2 });
    const refusal = { code: 'unavailable', cause: { message: 'git cat-file wrote nothing for 2 s' } };
    const asked = [stuck.commit, stuck.commit, other.commit];
    const folders = [stuck.folder, stuck.folder, other.folder];
    const answers = await Promise.allSettled(
      asked.map((id, at) => objects.info(folders[at] ?? other.folder, id, signal)),
    );
    expect(answers).toMatchObject([{ reason: refusal }, { reason: refusal }, { value: { id: other.commit } }]);
    await expect.poll(() => readersOf(stuck.folder.path)).toEqual([]);
    await expect(objects.info(stuck.folder, stuck.commit, signal)).rejects.toMatchObject(refusal);
    expect(readersOf(stuck.folder.path), 'git is not started again').toEqual([]);
    objects.close();
  },
);
