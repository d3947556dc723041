import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ShardBuilder } from '../build/shard-builder.ts';
import { DamagedShardError, LimitError } from '../errors.ts';
import { Arena } from '../kernel/arena.ts';
import { searchAll } from '../testing/search-all.ts';
import { buildShard } from '../testing/places.ts';
import { runs } from '../testing/runs.ts';
import { Workspace } from '../workspace.ts';
import { memorySource } from './byte-source.ts';
import { ResidentContent } from './content.ts';
import type { Content } from './content.ts';
import { PositionalContent } from './positional-content.ts';
import { Shard } from './shard.ts';

const workspace = new Workspace(Arena.create(64 << 20));
const documents = [
  Buffer.from('one needle\n'),
  Buffer.from('plain text\n'.repeat(900)),
  Buffer.alloc(40_000, 'long line without end '),
];
const file = buildShard(documents);
const content = Buffer.concat(documents);

/** Content of which nothing may be read: the index alone answers. */
const unread: Content = {
  place: () => {
    throw new DamagedShardError('read');
  },
  placeDocument: () => {
    throw new DamagedShardError('read');
  },
  bytes: () => Buffer.alloc(0),
  forget: () => undefined,
};

function changed(bytes: Uint8Array, at: number, mask: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ mask;
  return copy;
}

describe('a shard that is not what was written', () => {
  test('a flipped bit anywhere is refused', () => {
    fc.assert(
      fc.property(fc.nat(file.length - 1), fc.nat(7), (at, bit) => {
        expect(() => Shard.load(workspace, changed(file, at, 1 << bit))).toThrow(DamagedShardError);
      }),
      runs(500),
    );
  });

  test('a truncated, extended, empty or foreign file is refused', () => {
    for (const length of [0, 1, 47, 48, 500, file.length - 1])
      expect(() => Shard.load(workspace, file.subarray(0, length))).toThrow(DamagedShardError);
    expect(() => Shard.load(workspace, Buffer.concat([file, Buffer.alloc(16)]))).toThrow(/bytes instead of/);
    expect(() => Shard.load(workspace, Buffer.alloc(4096, 'SQLite format 3'))).toThrow('not a shard of a block index');
  });

  test('a file of another version says so', () => {
    expect(() => Shard.load(workspace, changed(file, 4, 3))).toThrow(
      'the shard has version 10, this program reads version 9',
    );
  });

  test('tables that contradict each other are refused even when the checksum is right', () => {
    fc.assert(
      fc.property(fc.integer({ min: 8, max: file.length / 4 - 1 }), fc.nat(0xffff_ffff), (word, value) => {
        const copy = Buffer.from(file);
        copy.writeUInt32LE(value, word * 4);
        writeSum(copy);
        const before = workspace.arena.taken;
        let shard: Shard | undefined;
        try {
          shard = Shard.load(workspace, copy);
          searchAll({ workspace, shard, content: unread }, { and: [{ literal: 'long line' }, { literal: 'qqq' }] });
        } catch (error) {
          if (!(error instanceof DamagedShardError)) throw error;
        } finally {
          shard?.release(workspace);
        }
        expect(workspace.arena.taken).toBe(before);
      }),
      runs(300),
    );
  });

  test('refusing gives the memory back', () => {
    const before = workspace.arena.taken;
    expect(() => Shard.load(workspace, changed(file, 200, 1))).toThrow(DamagedShardError);
    expect(workspace.arena.taken).toBe(before);
  });
});

/** Writes the right checksum into a damaged file. */
function writeSum(bytes: Buffer): void {
  bytes.writeUInt32LE(crc32(bytes.subarray(16)), 12);
}

describe('content that is not what was written', () => {
  const shard = Shard.load(workspace, file);

  test('a flipped bit anywhere is found before an answer depends on it', () => {
    fc.assert(
      fc.property(fc.nat(content.length - 1), (at) => {
        const damaged = Buffer.from(changed(content, at, 1));
        const read = memorySource(damaged);
        expect(() => ResidentContent.load(workspace, shard, read)).toThrow(DamagedShardError);
        const positional = new PositionalContent(workspace, shard, read);
        expect(() => searchAll({ workspace, shard, content: positional }, { regex: 'n' })).toThrow(DamagedShardError);
        expect(() => searchAll({ workspace, shard, content: positional }, { regex: 'n' })).toThrow(DamagedShardError);
        positional.forget();
      }),
      runs(60),
    );
  });

  test('a truncated content is found', () => {
    const read = memorySource(content.subarray(0, -10));
    expect(() => ResidentContent.load(workspace, shard, read)).toThrow(/the file ends after/);
  });

  test('text is read back as it was written in both modes', () => {
    const read = memorySource(content);
    const resident = ResidentContent.load(workspace, shard, read);
    const positional = new PositionalContent(workspace, shard, read);
    for (const [start, end] of [
      [0, 11],
      [5, 9000],
      [11_000, content.length],
      [20_000, 20_001],
      [7, 7],
    ] as const) {
      expect(resident.bytes(start, end).equals(content.subarray(start, end))).toBe(true);
      expect(positional.bytes(start, end).equals(content.subarray(start, end))).toBe(true);
    }
    workspace.arena.release(resident.address);
    positional.forget();
  });
});

describe('building', () => {
  test('no documents, and only empty ones', () => {
    for (const none of [[], [Buffer.alloc(0), Buffer.alloc(0)]]) {
      const shard = Shard.load(workspace, buildShard(none));
      const resident = ResidentContent.load(workspace, shard, () => Buffer.alloc(0));
      expect(shard.documents).toBe(none.length);
      for (const query of [{ literal: 'a' }, { literal: '\n\n' }, { regex: '^$' }])
        expect(searchAll({ workspace, shard, content: resident }, query)).toHaveLength(0);
    }
  });

  test('the same documents make the same file', () => {
    expect(Buffer.compare(buildShard(documents), file)).toBe(0);
  });

  test('a document over the limit is refused with its size', () => {
    expect(() => new ShardBuilder().add(new Uint8Array((32 << 20) + 1))).toThrow(LimitError);
  });

  test('tells where a document is', () => {
    const shard = Shard.load(workspace, file);
    expect(shard.documentRange(1)).toEqual({ start: 11, end: 11 + 9900 });
  });
});
