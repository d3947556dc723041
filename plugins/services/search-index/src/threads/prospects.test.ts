import { describe, expect, test } from 'vitest';
import { prospectsOf } from './prospects.ts';
import type { FileQuery } from './protocol.ts';

describe('how much there is to look at', () => {
  const terms = [{ literal: 'nowhere' }, { literal: 'rare' }, { literal: 'common' }];
  const inTexts = [0, 3, 500];
  const [nowhere, rare, common] = terms.map((_, term): FileQuery => ({ kind: 'text', term }));
  if (!nowhere || !rare || !common) throw new Error('there are three terms');
  const path: FileQuery = { kind: 'path', pattern: 'go$', scope: 'file' };
  const view = {
    mostBlocks: (term: object, { onlyPaths }: { onlyPaths: boolean }): number =>
      onlyPaths ? 1 : (inTexts[terms.findIndex((each) => each === term)] ?? Infinity),
  };
  const most = (query: FileQuery, wantsPathsOnly = false): number =>
    prospectsOf(view, query, { terms, wantsPathsOnly });
  const of = (kind: 'and' | 'or', ...children: FileQuery[]): FileQuery => ({ kind, children });

  test.each<[string, FileQuery, number]>([
    ['a text that is nowhere leaves nothing', nowhere, 0],
    ['all of several: as much as the rarest has', of('and', common, rare, path), 3],
    ['all of several, one of which is nowhere: nothing', of('and', path, of('and', nowhere, common)), 0],
    ['one of several: what they have together', of('or', nowhere, rare, common), 503],
    ['a path alone does not tell', of('or', nowhere, path), Infinity],
    ['nor does what is not wanted', { kind: 'not', child: nowhere }, Infinity],
    ['beside something it does not matter', of('and', rare, { kind: 'not', child: nowhere }), 3],
    ['every file', { kind: 'all' }, Infinity],
    ['no file', of('or', { kind: 'none' }), 0],
  ])('%s', (_, query, blocks) => {
    expect(most(query)).toBe(blocks);
  });

  test('where paths alone are searched only they count', () => {
    expect(most(of('and', common, common), true)).toBe(1);
  });
});
