import { callerOf } from '@sextant/core/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startSymbols } from '../testing/start-symbols.ts';
import type { StartedSymbols } from '../testing/start-symbols.ts';

const { signal } = new AbortController();
const manyFiles = Object.fromEntries(
  Array.from({ length: 150 }, (_, number) => [`many/f${number}.rb`, `def busy\n  shared_${number % 2}\nend\n`]),
);

let served: StartedSymbols;
beforeAll(async () => {
  served = await startSymbols(
    {
      shop: {
        ...manyFiles,
        'main.rb': 'only_elsewhere\nonly_hidden\nbusy\n',
        'near/use.rb': 'twice\n',
        'near/other.rb': 'def twice; end\n',
        'far/other.rb': 'def twice; end\n',
        'alone.py': 'def only_elsewhere(): pass\n',
      },
      one: { 'lib.rb': 'def only_elsewhere; end\n', 'gone.rb': 'def only_elsewhere; end\n' },
      two: { 'copy.rb': 'def only_elsewhere; end\n' },
      hidden: { 'lib.rb': 'def only_hidden; end\ndef only_elsewhere; end\n' },
    },
    { hidden: ['hidden'] },
  );
  await served.untilReadAhead();
});
afterAll(() => served[Symbol.asyncDispose]());

it('a name that the repository does not define is found in the others that the caller may read, in each that has the file', async () => {
  expect((await served.definition('shop main.rb', 'only_elsewhere')).toSorted()).toEqual([
    'one gone.rb:1',
    'one lib.rb:1',
    'two copy.rb:1',
  ]);
  expect(await served.definition('shop main.rb', 'only_hidden')).toEqual(['main.rb:1 text']);
});

it('of several the nearest is the first', async () => {
  expect((await served.definition('shop near/use.rb', 'twice'))[0]).toBe('near/other.rb:1');
});

it('of more than are looked at some are, and the answer has the ten likeliest', async () => {
  expect(await served.definition('shop main.rb', 'busy')).toHaveLength(10);
});

it('what a repository has no more is not found there, before the push was read too', async () => {
  served.builders['one']?.commit({ files: { 'gone.rb': null } });
  expect((await served.definition('shop main.rb', 'only_elsewhere')).toSorted()).toEqual([
    'one lib.rb:1',
    'two copy.rb:1',
  ]);
});

/** A commit of `two` with a file whose content git does not have. */
function commitWithLostFile(): string {
  const builder = served.builders['two'];
  const entry = (path: string, blob: string): Buffer =>
    Buffer.concat([Buffer.from(`100644 ${path}\0`), Buffer.from(blob, 'hex')]);
  const there = builder?.git('rev-parse', 'main:copy.rb') ?? '';
  const tree = builder?.writeObject(
    'tree',
    Buffer.concat([entry('copy.rb', there), entry('lost.rb', 'ab'.repeat(20))]),
  );
  return builder?.git('-c', 'user.name=x', '-c', 'user.email=x', 'commit-tree', '-m', 'lost', tree ?? '') ?? '';
}

it('files of which a clone lacks the content do not stop the search in the rest', async () => {
  const revision = commitWithLostFile();
  const request = { repo: 'two', path: 'copy.rb', symbol: 'only_elsewhere', revision, limit: 10 };
  const { precision, totalCount } = await served.symbols.findReferences(callerOf('alice'), request, signal);
  expect([precision, totalCount]).toEqual(['syntactic', 0]);
});

it('a repository that lost a file is found by its names, and the answer says what may be missing until the file goes', async () => {
  const request = { repo: 'shop', path: 'main.rb', symbol: 'only_elsewhere' };
  const answer = async (): Promise<unknown> => {
    const { files, notes = [] } = await served.symbols.findDefinition(callerOf('alice'), request, signal);
    return { found: files.map(({ repo }) => repo).toSorted(), notes };
  };
  served.builders['two']?.git('update-ref', 'refs/heads/main', commitWithLostFile());
  const lost = 'Repository two could not be read completely now; what it has may be missing here.';
  await expect.poll(answer).toEqual({ found: ['one', 'two'], notes: [lost] });
  served.builders['two']?.commit({ files: { 'lost.rb': null } });
  await expect.poll(answer).toEqual({ found: ['one', 'two'], notes: [] });
});
