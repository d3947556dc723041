import { readFileSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { temporaryFolder } from '@sextant/contracts/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { IndexStore, repoKeyOf } from './index-store.ts';
import { ingest, ingestInThread } from './ingest.ts';
import { scipIndex } from './testing/scip-index.ts';
import { alice, inPieces, signal, startScip, uploader } from './testing/start-scip.ts';
import type { StartedScip } from './testing/start-scip.ts';

const good = scipIndex([{ path: 'a.ts', definitions: [['scip-test npm a 1 f().', [0, 9, 10]]] }]);
const metadata = scipIndex([]);
const after = (...bytes: number[]): Uint8Array => Buffer.concat([metadata, Uint8Array.from(bytes)]);
const document = (fill: (writer: BinaryWriter) => BinaryWriter): Uint8Array =>
  Buffer.concat([metadata, new BinaryWriter().tag(2, 2).bytes(fill(new BinaryWriter()).finish()).finish()]);

let served: StartedScip;
beforeAll(async () => {
  served = await startScip(
    { shop: { 'a.ts': 'function f() {}\n' }, vault: { a: 'a' } },
    { config: { maxBytes: 100_000, maxDocumentBytes: 50_000 }, hidden: ['vault'] },
  );
});
afterAll(() => served[Symbol.asyncDispose]());

describe('what is no good index is refused with what is wrong, and leaves nothing behind', () => {
  it.each<[string, Uint8Array, string, string]>([
    ['nothing', new Uint8Array(), 'invalid_argument', 'the upload is empty'],
    ['text', Buffer.from('hello, this is no index'), 'invalid_argument', 'this is no SCIP index: byte 0'],
    ['only documents', good.subarray(metadata.length), 'invalid_argument', 'it has no metadata'],
    ['one cut off in a document', good.subarray(0, good.length - 3), 'invalid_argument', 'ends in the middle, at byte'],
    ['one cut off in a length', after(0x12, 0xff), 'invalid_argument', 'ends in the middle, at byte'],
    ['a length without end', after(0x12, ...Array<number>(12).fill(0xff)), 'invalid_argument', 'no SCIP index: byte'],
    ['a document said to be huge', after(0x12, 0xff, 0xff, 0xff, 0xff, 0x7f), 'too_large', 'at most 50000'],
    [
      'a string that ends after its message',
      document((w) => w.tag(1, 2).uint32(1000)),
      'invalid_argument',
      'is broken',
    ],
    [
      'an occurrence cut off',
      document((w) => w.tag(2, 2).bytes(Uint8Array.of(0x12, 9))),
      'invalid_argument',
      'is broken',
    ],
    ['groups without end', document((w) => w.raw(Uint8Array.of(0x3b, 0x3b))), 'invalid_argument', 'is broken'],
    ['gzip cut off', gzipSync(good).subarray(0, 20), 'invalid_argument', 'cannot be unpacked'],
    ['a small gzip of much', gzipSync(Buffer.alloc(10_000_000)), 'invalid_argument', 'no SCIP index'],
    ['too much gzip', gzipSync(document((w) => w.tag(4, 2).string('x'.repeat(40_000)))), 'ok', ''],
    ['too much', Buffer.alloc(100_001, good), 'too_large', 'more than 100000 bytes'],
  ])('%s', async (_what, content, code, text) => {
    const upload = served.upload('shop', content);
    if (code === 'ok') await expect(upload).resolves.toMatchObject({ documents: 0 });
    else await expect(upload).rejects.toMatchObject({ code, message: expect.stringContaining(text) });
    expect(readdirSync(join(served.dataFolder, 'scip', 'incoming'))).toEqual([]);
  });

  it('a gzip that unpacks to more than is taken', async () => {
    const documents = Array.from({ length: 4 }, () => document((w) => w.tag(4, 2).string('x'.repeat(40_000))));
    await expect(served.upload('shop', gzipSync(Buffer.concat(documents)))).rejects.toMatchObject({
      code: 'too_large',
    });
  });
});

it('positions that no file has, and paths outside of the repository, do no harm', async () => {
  const f = 'scip-test npm a 1 f().';
  const index = scipIndex([
    {
      path: 'a.ts',
      definitions: [[f, [0, 9, 10]]],
      uses: [
        [f, [-5, -1, 7]],
        [f, [2_000_000, 0, 1]],
      ],
    },
    { path: '../../etc/passwd', definitions: [[f, [0, 0, 1]]] },
    { path: '/etc/passwd', definitions: [[f, [0, 0, 1]]] },
    { path: 'gone.ts', uses: [[f, [0, 0, 1]]] },
  ]);
  expect(await served.upload('shop', index)).toMatchObject({ documents: 2 });
  expect(await served.definition('shop a.ts', 'f')).toEqual(['a.ts:1']);
});

describe('uploading needs', () => {
  const upload = (caller: typeof alice, repo: string): Promise<unknown> =>
    served.precise.upload(caller, { repo, commit: 'HEAD', content: inPieces(good) }, signal);

  it('the permission SCIP#UPLOAD', async () => {
    await expect(upload(alice, 'shop')).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('a repository that the caller may read: another is as one that does not exist', async () => {
    await expect(upload(alice, 'vault')).rejects.toMatchObject({ code: 'not_found' });
    await expect(upload(uploader, 'nowhere')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('a commit that is there', async () => {
    await expect(served.upload('shop', good, 'f'.repeat(40))).rejects.toMatchObject({ code: 'not_found' });
    await expect(served.upload('shop', good, '--all')).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('a connection that holds', async () => {
    const controller = new AbortController();
    async function* endless(): AsyncGenerator<Uint8Array, void, void> {
      yield metadata;
      controller.abort();
      await new Promise(() => {});
    }
    const index = { repo: 'shop', commit: 'HEAD', content: endless() };
    await expect(served.precise.upload(uploader, index, controller.signal)).rejects.toThrow();
    expect(readdirSync(join(served.dataFolder, 'scip', 'incoming'))).toEqual([]);
  });
});

describe('an index that is well formed and hostile', () => {
  const f = 'scip-test npm a 1 f().';
  const definition = { path: 'a.ts', definitions: [[f, [0, 9, 10]]] } as const;
  const started = async (config: object = {}): Promise<StartedScip> => {
    const running = await startScip({ shop: { 'a.ts': 'function f() {}\n' }, other: { 'b.ts': 'f()\n' } }, { config });
    onTestFinished(() => running[Symbol.asyncDispose]());
    return running;
  };
  const filesOf = ({ dataFolder }: StartedScip): string[] =>
    readdirSync(join(dataFolder, 'scip')).filter((file) => file.endsWith('.scipx'));
  const descriptors = (): number => readdirSync('/proc/self/fd').length;

  it('names more uses of one symbol than there is room on a stack', async () => {
    const running = await started();
    const uses = Array.from({ length: 150_000 }, (_, line) => [f, [line, 0, 1]] as const);
    await running.upload('shop', gzipSync(scipIndex([{ ...definition, uses }])));
    expect(await running.references('shop a.ts', 'f')).toHaveLength(100_000);
  });

  it('says of one file more than is taken', async () => {
    const uses = Array.from({ length: 11 }, (_, line) => [f, [line, 0, 1]] as const);
    const refused = (await started({ maxOccurrences: 10 })).upload('shop', scipIndex([{ path: 'big.ts', uses }]));
    await expect(refused).rejects.toMatchObject({ code: 'too_large', message: expect.stringContaining('"big.ts"') });
  });

  it('names files without end, though each is empty', async () => {
    const empty = Buffer.concat([metadata, Buffer.alloc(2002, Uint8Array.of(0x12, 0))]);
    const refused = (await started({ maxDocuments: 1000 })).upload('shop', gzipSync(empty));
    await expect(refused).rejects.toMatchObject({ code: 'too_large', message: expect.stringContaining('1000 files') });
  });

  it('names paths that no repository has: they are left out', async () => {
    const running = await started();
    const paths = ['a\0b', 'x\ny', './a.ts', 'a//b', 'a/', '..', 'x'.repeat(5000), '\u001b[2Ja'];
    const wrong = paths.map((path) => ({ path, uses: [[f, [0, 0, 1]]] as const }));
    const wild = { ...definition, uses: [[f, [-5, 0, 1]]] as const };
    expect(await running.upload('shop', scipIndex([wild, ...wrong]))).toMatchObject({ documents: 1, occurrences: 1 });
    expect(await running.references('shop a.ts', 'f')).toEqual([]);
  });

  it('names symbols that are related to, and enclosed by, each other and themselves: all are found where they stand', async () => {
    const [g, h] = ['g', 'h'].map((name) => `scip-test npm a 1 ${name}().`);
    await using running = await startScip({ shop: { 'a.ts': 'function f() {}\nfunction g() {}\nf(g)\n' } });
    const ring = [f, g, h].map((symbol) => symbol ?? '');
    const symbols = ring.map((symbol, at) => ({
      symbol,
      relatedTo: [...ring, '', 'local 1', '../../etc/passwd'],
      enclosedBy: ring[(at + 1) % ring.length] ?? '',
    }));
    const index = scipIndex([
      {
        path: 'a.ts',
        definitions: [
          [f, [0, 9, 10]],
          [g ?? '', [1, 9, 10]],
        ],
        uses: [
          [f, [2, 0, 1]],
          [g ?? '', [2, 2, 3]],
        ],
        symbols,
      },
    ]);
    expect(await running.upload('shop', index)).toMatchObject({ documents: 1, occurrences: 4 });
    for (const [name, line] of Object.entries({ f: 1, g: 2 })) {
      expect(await running.definition('shop a.ts', name)).toEqual([`a.ts:${line}`]);
      expect(await running.references('shop a.ts', name)).toEqual(['a.ts:3']);
    }
  });

  it('has a hundred thousand symbols in a ring, each related to a hundred others', async () => {
    const name = (number: number): string => `scip-test npm a 1 f${number % 100_000}().`;
    const relatedTo = Array.from({ length: 100 }, (_, number) => name(number));
    const symbols = Array.from({ length: 100_000 }, (_, at) => ({
      symbol: name(at),
      enclosedBy: name(at + 1),
      ...(at < 1000 && { relatedTo }),
    }));
    const running = await started();
    await running.upload('shop', gzipSync(scipIndex([{ ...definition, symbols }])));
    expect(await running.definition('shop a.ts', 'f')).toEqual(['a.ts:1']);
  });

  it.each(['../x', 'a\0b', 'x\ny', 'a//b', 'a/../../b'])('is of the folder %j: it is refused', async (root) => {
    const upload = served.precise.upload(
      uploader,
      { repo: 'shop', commit: 'HEAD', root, content: inPieces(good) },
      signal,
    );
    await expect(upload).rejects.toMatchObject({ code: 'invalid_argument', message: expect.stringContaining('root') });
  });

  it('is one of many, each by an indexer of another name: the newest stay', async () => {
    const running = await started({ indexersPerRepository: 3 });
    for (const name of ['a', 'b', 'c', 'd', 'e']) await running.upload('shop', scipIndex([definition], name));
    expect(filesOf(running)).toHaveLength(3);
    expect(await running.definition('shop a.ts', 'f')).toEqual(['a.ts:1']);
  });

  it('is one of many that together take more of the disk than a repository may', async () => {
    const running = await started({ bytesPerRepository: 1 });
    for (const name of ['a', 'b']) await running.upload('shop', scipIndex([definition], name));
    await running.upload('other', scipIndex([{ path: 'b.ts' }]));
    expect(filesOf(running)).toHaveLength(2);
  });

  it('has more files than there is memory for: it takes none of it', async () => {
    const files = Array.from({ length: 1000 }, (_, number) => ({ path: `f${number}.ts` }));
    const running = await started({ cachedBytes: 20_000 });
    await running.upload('shop', scipIndex([definition, ...files]));
    expect(await running.definition('shop a.ts', 'f')).toEqual(['a.ts:1']);
  });

  it('comes many times at once: only a few are received', async () => {
    const running = await started({ uploadsAtOnce: 2 });
    const uploads = await Promise.allSettled(Array.from({ length: 6 }, () => running.upload('shop', good)));
    const refused = uploads.flatMap((upload) => (upload.status === 'rejected' ? [upload.reason] : []));
    expect(refused).toHaveLength(4);
    for (const error of refused) expect(error).toMatchObject({ code: 'unavailable', retryAfterSeconds: 10 });
    expect(await running.upload('shop', good)).toMatchObject({ documents: 1 });
    expect(filesOf(running)).toHaveLength(1);
  });

  it('has a line of a megabyte with thousands of names on it', async () => {
    const line = `function f() {} /* ${'é'.repeat(500_000)} */`;
    await using running = await startScip({ shop: { 'a.ts': line } });
    for (const encoding of [1, 3]) {
      const uses = Array.from({ length: 50_000 }, (_, at) => [f, [0, 50 + at, 51 + at]] as const);
      await running.upload('shop', gzipSync(scipIndex([{ ...definition, uses, encoding }], `${encoding}`)));
    }
    expect(await running.definition('shop a.ts', 'f')).toEqual(['a.ts:1']);
  });

  it('is damaged on disk: other repositories answer as before, and its file is named', async () => {
    const running = await started();
    await running.upload('shop', scipIndex([{ path: 'a.ts', uses: [[f, [0, 9, 10]]] }]));
    await running.upload('other', scipIndex([{ path: 'b.ts', definitions: [[f, [0, 0, 1]]] }]));
    const first = filesOf(running).find((file) => file.startsWith(repoKeyOf('shop'))) ?? '';
    const path = join(running.dataFolder, 'scip', first);
    const whole = readFileSync(path);
    const damages: readonly Uint8Array[] = [
      whole.subarray(0, -1),
      new Uint8Array(),
      Buffer.alloc(whole.length),
      // The magic, the page of the schema, and every other page.
      Buffer.concat([Buffer.alloc(10, 0xff), whole.subarray(10)]),
      Buffer.concat([whole.subarray(0, 100), Buffer.alloc(4, 0x77), whole.subarray(104)]),
      Buffer.concat([whole.subarray(0, 4096), Buffer.alloc(whole.length - 4096, 0x77)]),
    ];
    for (const damaged of damages) {
      rmSync(path);
      writeFileSync(path, damaged);
      expect(await running.references('other b.ts', 'f')).toEqual([]);
      expect(await running.definition('other b.ts', 'f')).toEqual(['b.ts:1']);
      expect(await running.definition('shop a.ts', 'f')).toBeUndefined();
      expect(running.failures()).toEqual([{ name: path, reason: expect.stringContaining('upload the index') }]);
    }
    rmSync(path);
    writeFileSync(path, whole);
    expect(await running.references('other b.ts', 'f')).toEqual(['shop a.ts:1']);
    expect(running.failures()).toEqual([]);
  });

  it('cannot be opened: no descriptor stays open', async () => {
    using folder = temporaryFolder();
    const name = { repo: 'shop', commit: 'a'.repeat(40), root: '', indexer: 'i' };
    const upload = join(folder.path, 'upload');
    writeFileSync(upload, good);
    const limits = { maxBytes: 1e6, maxDocumentBytes: 1e6, maxOccurrences: 100, maxDocuments: 100 };
    await ingest({ ...name, ...limits, upload, part: join(folder.path, 'part'), folder: folder.path });
    const store = new IndexStore(folder.path, 1000);
    const [file = ''] = store.of('shop').map((one) => join(folder.path, one.file));
    truncateSync(file, statSync(file).size - 1);
    const before = descriptors();
    for (const name of store.of('shop'))
      for (let time = 0; time < 50; time += 1) expect(store.open(name)).toBeUndefined();
    expect(descriptors()).toBe(before);
    expect(store.failures).toHaveLength(1);
  });

  it('takes too long to store: it is given up', async () => {
    using folder = temporaryFolder();
    const upload = join(folder.path, 'upload');
    writeFileSync(upload, good);
    const name = { repo: 'shop', commit: 'a'.repeat(40), root: '' };
    const limits = { maxBytes: 1e6, maxDocumentBytes: 1e6, maxOccurrences: 100, maxDocuments: 100 };
    const job = { ...name, ...limits, upload, part: join(folder.path, 'part'), folder: folder.path, longestMs: 1 };
    await expect(ingestInThread(job, signal)).rejects.toMatchObject({
      code: 'too_large',
      message: expect.stringContaining('0.001 seconds'),
    });
  });
});
