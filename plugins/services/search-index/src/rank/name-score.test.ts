import { Matches } from '@sextant/library-block-index';
import { expect, test } from 'vitest';
import { FileScore } from './file-score.ts';
import { nameScore, PathScores } from './name-score.ts';
import { TermScore } from './term-score.ts';
import { BitSet } from '../snapshot/bit-set.ts';

/** What the index finds of a word in the lines of a text, in any case. */
function matchesIn(paths: readonly string[], word: string): Matches {
  const records: number[] = [];
  let start = 0;
  for (const [line, path] of paths.entries()) {
    const lower = path.toLowerCase();
    for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + word.length))
      records.push(0, line, start, start + path.length, start + at, start + at + word.length);
    start += path.length + 1;
  }
  return new Matches(Uint32Array.from(records));
}

/** Texts of few letters, so that they often have each other. */
function* texts(seed: number): Generator<string> {
  let state = seed;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  for (;;) yield Array.from({ length: 1 + random(6) }, () => 'abA./'[random(5)]).join('');
}

const take = (from: Generator<string>, count: number): string[] =>
  Array.from({ length: count }, () => from.next().value);

function scoresOf(paths: readonly string[], word: string): PathScores {
  const found = new PathScores(paths.length, Buffer.from(paths.join('\n')), word);
  found.add(matchesIn(paths, word));
  return found;
}

test('the score of a name is the same by the matches of the index as by the path itself', () => {
  const random = texts(7);
  for (let run = 0; run < 400; run += 1) {
    const paths = take(random, 9).map((text) => `a/${text}`.replace(/\/+/g, '/').replace(/\/$/, ''));
    const word = take(random, 1).join('').toLowerCase();
    const { files, scoreOf } = scoresOf(paths, word);
    expect(paths.map((_, file) => scoreOf(file))).toEqual(paths.map((path) => nameScore(path, [word])));
    expect([...files]).toEqual(paths.flatMap((path, file) => (path.toLowerCase().includes(word) ? [file] : [])));
  }
});

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
