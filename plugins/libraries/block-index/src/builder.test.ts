import { expect, it } from 'vitest';
import { ShardBuilder } from './builder.ts';

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
