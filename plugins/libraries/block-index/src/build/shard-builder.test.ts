import { expect, it } from 'vitest';
import { memorySource } from '../format/byte-source.ts';
import { ResidentContent } from '../format/content.ts';
import { Shard } from '../format/shard.ts';
import type { Literal, Regex } from '../match/compiled-term.ts';
import { searchAll } from '../testing/search-all.ts';
import { Places } from '../testing/places.ts';
import { ShardBuilder } from './shard-builder.ts';

const shardOf = (...texts: readonly string[]): Uint8Array => {
  const builder = new ShardBuilder();
  for (const text of texts) builder.add(Buffer.from(text));
  return builder.finish();
};

it('builds the same of the same texts, whatever was built before it', () => {
  const many = Array.from({ length: 3000 }, (_, i) => `const value${i} = ${i * 7919}; // ${'é'.repeat(i % 40)}\n`);
  const long = 'x = 1; '.repeat(20_000);
  const small = shardOf('one\n', 'two\n');
  const large = shardOf(...many, long);
  expect(shardOf('one\n', 'two\n')).toEqual(small);
  expect(shardOf(...many, long)).toEqual(large);
  expect(shardOf(...many)).not.toEqual(large);
});

it('is not disturbed by another one that is used at the same time, nor by one that was left unfinished', () => {
  const expected = shardOf('alpha\n', 'beta\n');
  new ShardBuilder().add(Buffer.from('never finished\n'));
  const [one, other] = [new ShardBuilder(), new ShardBuilder()];
  one.add(Buffer.from('alpha\n'));
  other.add(Buffer.from('gamma\n'));
  one.add(Buffer.from('beta\n'));
  other.finish();
  expect(one.finish()).toEqual(expected);
});

it('keeps every block of a trigram, however far apart they are and however many trigrams begin alike', () => {
  // Each document is a block. Trigrams that begin with "~" share a log: of the first three blocks it has 2,038, which leaves
  // less than a posting needs in its first chunk, and the next block is just too far away for a distance.
  const endings = Array.from({ length: 64 }, (_, i) => String.fromCharCode(i < 32 ? 33 + i : 65 + i)).slice(0, 58);
  const words = [...'abcdefghijklmno'].flatMap((second) => endings.map((third) => `~${second}${third}`));
  const counts = new Map([40, 90, 140, 171, 799].map((document, i) => [document, i === 0 ? 680 : 679]));
  const documents = Array.from({ length: 800 }, (_, i) =>
    Buffer.from(`${words.slice(0, counts.get(i) ?? 0).join(' ')}\n`.padEnd(5000, 'plain text ')),
  );
  new Places().both(documents, (place) => {
    const found = [...searchAll(place, { literal: words[0] ?? '' })].map(({ document }) => document);
    expect(found).toEqual([...counts.keys()]);
    expect([...searchAll(place, { literal: 'plain text' })].at(-1)).toMatchObject({ document: 799 });
  });
});

it('builds shards without an index, in which every block is read', () => {
  const { workspace } = new Places();
  const texts = ['alpha beta\n', 'gamma\n', `${'x'.repeat(20_000)}beta\n`].map((text) => Buffer.from(text));
  const builder = new ShardBuilder({ isIndexed: false });
  for (const text of texts) builder.add(text);
  const shard = Shard.load(workspace, builder.finish());
  const content = ResidentContent.load(workspace, shard, memorySource(Buffer.concat(texts)));
  const place = { workspace, shard, content };
  const documentsWith = (query: Literal | Regex): number[] => [...searchAll(place, query).documents()];
  expect(shard.trigrams).toBe(0);
  expect(documentsWith({ literal: 'BETA', foldCase: true })).toEqual([0, 2]);
  expect(documentsWith({ regex: 'g[a-m]+$' })).toEqual([1]);
  expect(documentsWith({ literal: 'a\n' })).toEqual([0, 1, 2]);
});
