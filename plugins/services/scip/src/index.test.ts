import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { temporaryFolder } from '@sextant/contracts/testing';
import { callerOf } from '@sextant/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scipIndex } from './testing/scip-index.ts';
import type { IndexedDocument } from './testing/scip-index.ts';
import { alice, inPieces, signal, startScip } from './testing/start-scip.ts';
import type { StartedScip } from './testing/start-scip.ts';

const load = 'scip-typescript npm @acme/shop 1.0.0 src/`store.ts`/Store#load().';
const loadOld = load.replace('1.0.0', '0.9.0');
const files = {
  'store.ts': 'class Store {\n  load() {}\n}\n',
  'main.ts': '// main\nimport { Store } from "./store";\nnew Store().load();\nlet x = 1; x += 1;\n',
};
const documents: IndexedDocument[] = [
  { path: 'store.ts', definitions: [[load, [1, 2, 6]]] },
  {
    path: 'main.ts',
    definitions: [['local 0', [3, 4, 5]]],
    uses: [
      [load, [2, 12, 16]],
      ['local 0', [3, 11, 12]],
    ],
  },
];
const dependents: IndexedDocument[] = [{ path: 'app.ts', uses: [[loadOld, [0, 2, 6]]] }];

describe('an index of the commit', () => {
  let served: StartedScip;
  beforeAll(async () => {
    served = await startScip(
      { shop: files, app: { 'app.ts': 's.load();\n' }, vault: { 'app.ts': 's.load();\n' } },
      { hidden: ['vault'] },
    );
    await served.upload('shop', scipIndex(documents));
    await served.upload('app', gzipSync(scipIndex(dependents)));
    await served.upload('vault', scipIndex(dependents));
  });
  afterAll(() => served[Symbol.asyncDispose]());

  it('says where a name is defined and used', async () => {
    expect(await served.definition('shop main.ts', 'load')).toEqual(['store.ts:2']);
    expect(await served.definition('shop main.ts', 'x')).toEqual(['main.ts:4']);
    expect(await served.references('shop store.ts', 'load')).toEqual(['main.ts:3', 'app app.ts:1']);
    expect(await served.references('shop main.ts', 'x')).toEqual(['main.ts:4']);
  });

  it('leads to other repositories by the names of symbols, whatever version of the package they use', async () => {
    expect(await served.definition('app app.ts', 'load')).toEqual(['shop store.ts:2']);
    expect(await served.references('app app.ts', 'load')).toEqual(['app.ts:1', 'shop main.ts:3']);
  });

  it('of a repository that the caller may not read is as if it were not there', async () => {
    const request = { repo: 'vault', path: 'app.ts', symbol: 'load' };
    await expect(served.precise.findDefinition(alice, request, signal)).rejects.toMatchObject({ code: 'not_found' });
    const root = callerOf('root', { isSiteAdmin: true });
    const uses = await served.precise.findReferences(root, { ...request, repo: 'shop', path: 'store.ts' }, signal);
    expect(uses?.places.map(({ repo }) => repo)).toContain('vault');
  });

  it('says nothing of names and files that are not in it', async () => {
    expect(await served.definition('shop main.ts', 'main')).toBeUndefined();
    expect(await served.references('shop gone.ts', 'load')).toBeUndefined();
  });

  it('tells several uses of one name apart by their line', async () => {
    const request = { repo: 'shop', path: 'main.ts', symbol: 'load', line: 4 };
    expect(await served.precise.findDefinition(alice, request, signal)).toBeUndefined();
    const there = await served.precise.findDefinition(alice, { ...request, line: 3 }, signal);
    expect(there).toEqual([{ repo: 'shop', path: 'store.ts', line: 2 }]);
  });
});

it('a name means what a file shows to others, though it stands for something local, too', async () => {
  await using served = await startScip({
    shop: { 'size.ts': 'export const size = 1;\nconst f = (size) => size;\nsize;\n' },
  });
  const size = 'scip-typescript npm @acme/shop 1.0.0 src/`size.ts`/size.';
  const document: IndexedDocument = {
    path: 'size.ts',
    definitions: [
      [size, [0, 13, 17]],
      ['local 0', [1, 11, 15]],
    ],
    uses: [
      ['local 0', [1, 20, 24]],
      [size, [2, 0, 4]],
    ],
  };
  await served.upload('shop', scipIndex([document]));
  expect(await served.references('shop size.ts', 'size')).toEqual(['size.ts:3']);
});

it('who makes a value of a class uses it, where an index names the constructor alone, too', async () => {
  await using served = await startScip({ shop: { 'a.ts': 'class A {}\nnew A();\n' } });
  const a = 'scip-typescript npm @acme/shop 1.0.0 src/`a.ts`/A#';
  const uses: IndexedDocument['uses'] = [[`${a}\`<constructor>\`().`, [1, 4, 5]]];
  await served.upload('shop', scipIndex([{ path: 'a.ts', definitions: [[a, [0, 6, 7]]], uses }]));
  expect(await served.references('shop a.ts', 'A')).toEqual(['a.ts:2']);
});

it('who calls a class uses what makes its values, where an index names the class alone', async () => {
  await using served = await startScip({ shop: { 'a.py': 'class A:\n  def __init__(self): ...\nA()\nprint(A)\n' } });
  const a = 'scip-python python shop 1.0.0 a/A#';
  const document: IndexedDocument = {
    path: 'a.py',
    definitions: [
      [a, [0, 6, 7]],
      [`${a}__init__().`, [1, 6, 14]],
    ],
    uses: [
      [a, [2, 0, 1]],
      [a, [3, 6, 7]],
    ],
  };
  await served.upload('shop', scipIndex([document]));
  expect(await served.references('shop a.py', '__init__')).toEqual(['a.py:3']);
});

describe('an index of a near commit', () => {
  it('tells of which lines it speaks', async () => {
    await using served = await startScip({ shop: { 'a.ts': '1;\n2;\n3;\n4;\nf();\n', 'b.ts': '' } });
    const f = 'scip-test npm shop 1 f().';
    await served.upload('shop', scipIndex([{ path: 'a.ts', definitions: [[f, [4, 0, 1]]] }]));
    served.builder('shop').commit({ files: { 'a.ts': '0;\n1;\nnew;\n3;\nf();\n5;\n' } });
    const request = { repo: 'shop', path: 'a.ts', symbol: 'f' };
    const uses = await served.precise.findReferences(alice, request, signal);
    expect(uses?.definitions).toEqual([{ repo: 'shop', path: 'a.ts', line: 5 }]);
    const isKnown = await uses?.linesOf({ repo: 'shop', path: 'a.ts' });
    expect([1, 2, 3, 4, 5, 6].map((line) => isKnown?.(line))).toEqual([false, true, false, true, true, false]);
    const isOther = await uses?.linesOf({ repo: 'shop', path: 'b.ts' });
    expect(isOther?.(1)).toBe(false);
  });

  it('is used with lines carried through the differences, before and after it', async () => {
    await using served = await startScip({ shop: files });
    const shop = served.builder('shop');
    const indexed = shop.git('rev-parse', 'HEAD');
    await served.upload('shop', scipIndex(documents));
    shop.commit({ files: { 'store.ts': `// new\n// lines\n${files['store.ts']}`, 'other.ts': '' } });
    expect(await served.definition('shop main.ts', 'load')).toEqual(['store.ts:4']);
    expect(await served.references('shop store.ts', 'load')).toEqual(['main.ts:3']);
    expect(await served.definition('shop main.ts', 'load', indexed)).toEqual(['store.ts:2']);
    shop.commit({ files: { 'store.ts': 'class Store {\n  load(again: boolean) {}\n}\n' } });
    expect(await served.definition('shop main.ts', 'load')).toBeUndefined();
    await served.upload('shop', scipIndex(documents));
    expect(await served.definition('shop main.ts', 'load', indexed)).toEqual(['store.ts:2']);
    expect(await served.definition('shop main.ts', 'load', 'HEAD~1')).toEqual(['store.ts:4']);
  });

  it('answers older commits when only a later one was indexed', async () => {
    await using served = await startScip({ shop: { ...files, 'main.ts': files['main.ts'].replace('// main\n', '') } });
    served.builder('shop').commit({ files });
    await served.upload('shop', scipIndex(documents));
    expect(await served.references('shop store.ts', 'load', 'HEAD~1')).toEqual(['main.ts:2']);
  });

  it('of a commit in another history says nothing', async () => {
    await using served = await startScip({ shop: files });
    const shop = served.builder('shop');
    await served.upload('shop', scipIndex(documents));
    shop.commit({ branch: 'apart', parents: [], files });
    expect(await served.definition('shop main.ts', 'load', 'apart')).toBeUndefined();
  });
});

describe('columns', () => {
  const text = 'const 😀 = "ä"; call();\n';
  it.each([
    ['UTF-8 bytes', 1, Buffer.from(text).indexOf('call')],
    ['UTF-16 code units', 2, text.indexOf('call')],
    ['code points', 3, [...text].indexOf('c', 6)],
  ])('are counted in %s as the index says', async (_unit, encoding, start) => {
    await using served = await startScip({ shop: { 'a.ts': text } });
    const call = 'scip-test npm a 1 call().';
    await served.upload('shop', scipIndex([{ path: 'a.ts', definitions: [[call, [0, start, start + 4]]], encoding }]));
    expect(await served.definition('shop a.ts', 'call')).toEqual(['a.ts:1']);
  });
});

describe('uploads', () => {
  it('are kept across a restart, one of each commit and indexer, for the newest commits', async () => {
    await using served = await startScip({ shop: files }, { config: { indexesPerRepository: 2 } });
    const stored = (): string[] => readdirSync(join(served.dataFolder, 'scip')).filter((file) => file !== 'incoming');
    const answer = await served.upload('shop', scipIndex(documents));
    const commit = served.builder('shop').git('rev-parse', 'HEAD');
    expect(answer).toEqual({ repo: 'shop', commit, indexer: 'scip-test', documents: 2, occurrences: 4 });
    await served.upload('shop', scipIndex(documents));
    expect(stored()).toHaveLength(1);
    await served.upload('shop', scipIndex(documents, 'scip-other'));
    for (const name of ['a', 'b']) {
      served.builder('shop').commit({ files: { [name]: name } });
      await served.upload('shop', scipIndex(documents));
    }
    expect(stored()).toHaveLength(3);
    expect(readdirSync(join(served.dataFolder, 'scip', 'incoming'))).toEqual([]);
  });

  it('of a folder of the repository have its paths', async () => {
    await using served = await startScip({ shop: { 'web/store.ts': files['store.ts'] } });
    const index = { repo: 'shop', commit: 'HEAD', root: './web/', content: inPieces(scipIndex(documents)) };
    await served.precise.upload(callerOf('root', { isSiteAdmin: true }), index, signal);
    expect(await served.definition('shop web/store.ts', 'load')).toEqual(['web/store.ts:2']);
  });
});

describe('a folder that hosts share', () => {
  it('has what was uploaded to any of them', async () => {
    using folder = temporaryFolder();
    const config = { folder: join(folder.path, 'scip') };
    await using one = await startScip({ shop: files }, { config });
    await using other = await startScip({ shop: files }, { config });
    expect(await other.definition('shop main.ts', 'load')).toBeUndefined();
    await one.upload('shop', scipIndex(documents));
    expect(await other.definition('shop main.ts', 'load')).toEqual(['store.ts:2']);
    expect(readdirSync(one.dataFolder)).not.toContain('scip');
  });
});
