import { Arena, BitSlicedSignatures, Shard, ShardBuilder, Workspace } from '@sextant/library-block-index';
import type { SignatureColumn } from '@sextant/library-block-index';
import { describe, expect, test } from 'vitest';
import { estimateCandidates, mayMatch } from './candidates.ts';
import type { FileQuery } from '../pool/protocol.ts';

describe('how much there is to look at', () => {
  const terms = [{ literal: 'nowhere' }, { literal: 'rare' }, { literal: 'common' }];
  const inTexts = [0, 3, 500];
  const [nowhere, rare, common] = terms.map((_, term): FileQuery => ({ kind: 'text', term }));
  if (!nowhere || !rare || !common) throw new Error('there are three terms');
  const path: FileQuery = { kind: 'path', pattern: 'go$', scope: 'file' };
  const snapshot = {
    mostBlocks: (term: object, { onlyPaths }: { onlyPaths: boolean }): number =>
      onlyPaths ? 1 : (inTexts[terms.findIndex((each) => each === term)] ?? Infinity),
  };
  const most = (query: FileQuery, wantsPathsOnly = false): number =>
    estimateCandidates(snapshot, query, { terms, wantsPathsOnly });
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

describe('whether there is anything to look at', () => {
  const workspace = new Workspace(Arena.create(16 << 20));
  const columns = new BitSlicedSignatures(workspace.arena);
  const columnOf = (text: string): SignatureColumn | undefined => {
    const builder = new ShardBuilder();
    builder.add(Buffer.from(text));
    return columns.open(Shard.load(workspace, builder.finish()));
  };
  const snapshot = {
    paths: { column: columnOf('src/parser.go\n') },
    slices: [{ column: columnOf('mutex') }, { column: columnOf('deadlock') }],
  };
  const terms = ['mutex', 'deadlock', 'parser', 'nowhere'].map((literal) => ({ literal }));
  const [mutex, deadlock, parser, nowhere] = terms.map((_, term): FileQuery => ({ kind: 'text', term }));
  if (!mutex || !deadlock || !parser || !nowhere) throw new Error('there are four terms');
  const path = (pattern: string): FileQuery => ({ kind: 'path', pattern, scope: 'file' });
  const of = (kind: 'and' | 'or', ...children: FileQuery[]): FileQuery => ({ kind, children });

  test.each<[string, FileQuery, boolean, boolean]>([
    ['a text that a part has', mutex, true, false],
    ['a text that a path has', parser, true, true],
    ['one that is nowhere', nowhere, false, false],
    ['all of several, wherever they are', of('and', mutex, deadlock, parser), true, false],
    ['all of several, one of which is nowhere', of('and', mutex, nowhere), false, false],
    ['one of several', of('or', nowhere, deadlock), true, false],
    ['what is not wanted does not tell', { kind: 'not', child: nowhere }, true, true],
    ['a filter that a path has', of('and', parser, path('src.*er\\.')), true, true],
    ['one that only a text has', of('and', parser, path('mutex')), false, false],
    ['one of which no trigram is known', of('and', parser, path('^q')), true, true],
    ['no file', { kind: 'none' }, false, false],
  ])('%s', (_, query, may, mayByPath) => {
    const asked = { terms, arena: workspace.arena };
    expect(mayMatch(snapshot, query, { ...asked, wantsPathsOnly: false })).toBe(may);
    expect(mayMatch(snapshot, query, { ...asked, wantsPathsOnly: true })).toBe(mayByPath);
  });
});
