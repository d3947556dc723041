import { expect, test } from 'vitest';
import { CommitCollector } from './indexed-commit.ts';
import type { IndexedCommit } from './indexed-commit.ts';

const identity = { name: 'Ada', email: 'ada@x' };
const record = (hash: string) => ({
  hash,
  author: identity,
  mapped: identity,
  authored: 1,
  time: 1,
  parents: [],
  message: 'm',
});
const longPath = 'p'.repeat(1 << 20);

test('the paths of a commit are bounded as its hunks are: it is left to git, and the next one is not', () => {
  const taken: IndexedCommit[] = [];
  const collector = new CommitCollector((commit) => taken.push(commit));
  collector.commit(record('a'));
  for (let number = 0; number < 25; number += 1) collector.path(`${number}${longPath}`);
  collector.hunk(`24${longPath}`, '@@ -0,0 +1 @@');
  collector.line(Buffer.from('+alpha'));
  collector.commit(record('b'));
  collector.path('b');
  collector.hunk('b', '@@ -0,0 +1 @@');
  collector.line(Buffer.from('+beta'));
  collector.end();
  expect(taken.map(({ changes, paths, texts }) => ({ changes, paths, texts: texts.length }))).toEqual([
    { changes: 'too-large', paths: [], texts: 0 },
    { changes: 'stored', paths: ['b'], texts: 1 },
  ]);
});
