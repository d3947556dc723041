import { BitSet } from '@sextant/library-block-index';
import type { Literal, Regex } from '@sextant/library-block-index';
import { expect, test } from 'vitest';
import { FileScore } from './file-score.ts';
import { SearchTerms } from '@sextant/library-keyword-search';

test('files are parted by what their paths say, each once, and none says more than its part', () => {
  const paths = ['a/b.ts', 'b/c.ts', 'c/d.ts', 'b/a.ts', 'ab.ts'];
  const snapshot = {
    handle: { classes: new Uint8Array(paths.length) },
    foldersOf: () => 0,
    pathOf: (file: number) => paths[file] ?? '',
    withPath(term: Literal | Regex) {
      const files = new BitSet(paths.length);
      for (const [file, path] of paths.entries())
        if ('literal' in term && path.includes(String(term.literal))) files.add(file);
      return files;
    },
  };
  const terms = new SearchTerms([{ literal: 'a' }, { literal: 'b' }], 2);
  const score = new FileScore(snapshot, terms, { job: { wantsPathsOnly: false }, checkpoint: () => undefined });
  const all = BitSet.all(paths.length);
  all.remove(4);
  const levels = score.levelsOf(all);
  const parted = levels.flatMap(({ files, named }) => [...files].map((file) => ({ file, named })));
  expect(parted.map(({ file }) => file).sort()).toEqual([0, 1, 2, 3]);
  for (const { file, named } of parted) expect(score.namedOf(file)).toBeLessThanOrEqual(named);
  expect(levels.at(-1)).toMatchObject({ named: 0 });
});
