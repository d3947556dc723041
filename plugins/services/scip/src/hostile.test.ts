import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
