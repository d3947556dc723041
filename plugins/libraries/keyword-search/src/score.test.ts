import { pathClass, pathClasses } from '@sextant/library-ranking';
import { describe, expect, test } from 'vitest';
import { fileScore, lineScore, nameScore, shallowness, wholeNameScore } from './score.ts';
import { classWeights, pathClassWeights } from './keyword-weights.ts';

const weightOf = (path: string, weights: readonly number[]): number =>
  weights[pathClasses.indexOf(pathClass(path))] ?? 0;

describe('a file comes before another', () => {
  const score = (path: string, best = 0.7, lineCount = 1): number =>
    fileScore({ weight: weightOf(path, classWeights), named: nameScore(path, 'cart'), lineCount, best });

  test.each([
    ['when it defines what is searched', score('src/a.ts', 2.2), score('src/b.ts', 0.7)],
    ['when it is source', score('src/a.ts'), score('src/a.test.ts')],
    ['when its name says it', score('src/cart.ts'), score('src/cars.ts')],
    ['when its whole name says it', score('src/cart.ts'), score('src/cartography.ts')],
    ['when it has more matches', score('src/a.ts', 0.7, 50), score('src/a.ts', 0.7, 1)],
  ])('%s', (_why, better, worse) => expect(better).toBeGreaterThan(worse));

  test('where only paths are wanted, when it is called so, then when it is not of tests, then when it has fewer folders', () => {
    const paths = [
      'README.md',
      'lib/a/readme',
      'src/readmes.c',
      'test/README',
      'src/ThreadMeta.c',
      'Readme/a.c',
      'x.c',
    ];
    const scores = paths.map((path) => {
      const best = shallowness(path.split('/').length - 1);
      return fileScore({
        weight: weightOf(path, pathClassWeights),
        named: nameScore(path, 'readme'),
        lineCount: 0,
        best,
      });
    });
    expect(scores.toSorted((a, b) => b - a)).toEqual(scores);
  });
});

test('no file scores more than the highest score', () => {
  const best = 0.2 + 0.5 + 1.5 + 0.4 + 0.5 * 10;
  const most = lineScore({ isWord: true, definition: 1, beside: Infinity, terms: Infinity, phrase: Infinity });
  const highestScore = fileScore({ weight: 1, named: wholeNameScore(0), lineCount: Infinity, best: most });
  expect(highestScore).toBeCloseTo(1 + best + 5 + 0.08 * Math.log2(17));
});
