import { expect, test } from 'vitest';
import { mostBlocks } from '../match/compiled-term.ts';
import { Places } from '../testing/places.ts';

const filler = 'nothing to be seen here but words that go on and on\n'.repeat(100);
const documents = ['', '0xBEEF', 'v1.2', 'id 123', 'v2.0', 'é'].map((text) => Buffer.from(`${text}\n${filler}`));

test.each([
  ['0x[0-9a-f]+', 1],
  ['v\\d\\.', 2],
  ['[vw][0-9][.,]', 2],
  ['[0-9][0-9][0-9]', 6],
  ['z[0-9][0-9]', 0],
  ['[xyz].x', 6],
])('%s, which holds no text, is looked for in %i of six blocks', (regex, blocks) => {
  new Places().both(documents, (place) => {
    expect(mostBlocks(place.shard, { regex })).toBe(blocks);
  });
});

test.each([
  ['beef', 1],
  ['0xBEEF\nnothing', 1],
  ['beef0', 0],
  ['nothing\nyBEEF', 0],
  ['seen', 6],
  ['9', 0],
  ['12', 1],
])('%j may be in %i of six blocks', (literal, blocks) => {
  new Places().both(documents, (place) => {
    expect(mostBlocks(place.shard, { literal })).toBe(blocks);
  });
});
