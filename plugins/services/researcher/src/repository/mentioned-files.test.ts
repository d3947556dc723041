import { expect, test } from 'vitest';
import { mentionedFiles } from './mentioned-files.ts';

const tree = new Map(
  ['README.md', 'src/pay/index.ts', 'src/pay/card.ts', 'lib/src/pay/index.ts', 'docs/pay.md'].map((path) => [
    path,
    { blob: path, bytes: 1 },
  ]),
);
const filesOf = async (path: string): Promise<string[]> => [...(await mentionedFiles([{ path }], tree)).keys()];

test.each([
  ['src/pay/index.ts', ['src/pay/index.ts', 'lib/src/pay/index.ts']],
  ['home/ada/work/src/pay/card.ts', ['src/pay/card.ts']],
  ['index.ts', ['src/pay/index.ts', 'lib/src/pay/index.ts']],
  ['lib/src', ['lib/src/pay/index.ts']],
  ['src/pay', ['src/pay/index.ts', 'src/pay/card.ts', 'lib/src/pay/index.ts']],
  ['elsewhere/pay', []],
  ['pay', []],
])('%s means %j', async (path, expected) => {
  expect(await filesOf(path)).toEqual(expected);
});

test('a path of ten thousand folders is compared by its end', async () => {
  expect(await filesOf(`${'a/'.repeat(10_000)}card.ts`)).toEqual(['src/pay/card.ts']);
});
