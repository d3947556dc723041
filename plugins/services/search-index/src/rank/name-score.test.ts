import { expect, test } from 'vitest';
import { FileScore } from './file-score.ts';
import { pathMatches } from './name-score.ts';
import type { PathMatches } from './name-score.ts';
import { TermScore } from './term-score.ts';
import { BitSet } from '../snapshot/bit-set.ts';

/** What is found of a word in paths. */
function scoresOf(paths: readonly string[], word: string): PathMatches {
  const files = new BitSet(paths.length);
  for (const [file, path] of paths.entries()) if (path.includes(word)) files.add(file);
  return pathMatches(files, word, (file) => paths[file] ?? '');
}

test('files are parted by what their paths say, each once, and none says more than its part', () => {
  const paths = ['a/b.ts', 'b/c.ts', 'c/d.ts', 'b/a.ts', 'ab.ts'];
  const snapshot = {
    handle: { classes: new Uint8Array(paths.length) },
    foldersOf: () => 0,
    named: ({ literal }: { literal: string | Uint8Array }) => scoresOf(paths, String(literal)),
  };
  const terms = new TermScore([{ literal: 'a' }, { literal: 'b' }], 2);
  const score = new FileScore(snapshot, terms, { job: { wantsPathsOnly: false }, checkpoint: () => undefined });
  const all = BitSet.all(paths.length);
  all.remove(4);
  const levels = score.levelsOf(all);
  const parted = levels.flatMap(({ files, named }) => [...files].map((file) => ({ file, named })));
  expect(parted.map(({ file }) => file).sort()).toEqual([0, 1, 2, 3]);
  for (const { file, named } of parted) expect(score.namedOf(file)).toBeLessThanOrEqual(named);
  expect(levels.at(-1)).toMatchObject({ named: 0 });
});
