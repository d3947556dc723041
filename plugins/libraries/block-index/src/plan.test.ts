import { expect, test } from 'vitest';
import { estimate } from './plan.ts';
import { compileTerm } from './term.ts';
import { Places } from './testing/places.ts';

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
  new Places().both(documents, ({ workspace, shard }) => {
    const term = compileTerm(workspace, shard, { regex });
    expect(estimate(term.plan, shard.blocks)).toBe(blocks);
    term.release();
  });
});
