import { afterAll, beforeAll, expect, it } from 'vitest';
import { alice, startSymbols } from '../testing/start-symbols.ts';
import type { StartedSymbols } from '../testing/start-symbols.ts';

const manyFiles = 150;
const filesOf = (text: (at: number) => string): Record<string, string> =>
  Object.fromEntries(Array.from({ length: manyFiles }, (_, at): [string, string] => [`many/f${at}.rb`, text(at)]));

let served: StartedSymbols;
beforeAll(async () => {
  served = await startSymbols({
    shop: {
      ...filesOf((at) => `def before_${at}\n  empty?\n  common\nend\n`),
      'main.rb': 'before_7\nempty?\ncommon\nmissing\n',
      'far/empty.rb': '# empty\ndef empty?; end\n',
      'comment.rb': '# before_7\n',
    },
  });
  served.builders['shop']?.commit({ files: filesOf((at) => `def after_${at}; end\n`) });
  await served.untilReadAhead();
});
afterAll(() => served[Symbol.asyncDispose]());

const ask = async (path: string, symbol: string, kind: 'findDefinition' | 'findReferences'): Promise<string[]> => {
  const request = { repo: 'shop', path, symbol, revision: 'HEAD~1', limit: 1000 };
  const { files, precision } = await served.symbols[kind](alice, request, new AbortController().signal);
  expect(precision).toBe('syntactic');
  return files.flatMap(({ path, places }) => places.map(({ line }) => `${path}:${line}`));
};

it('a revision that was not read ahead is answered from its own files', async () => {
  expect(await ask('main.rb', 'before_7', 'findDefinition')).toEqual(['many/f7.rb:1']);
  expect(await ask('main.rb', 'empty?', 'findDefinition')).toEqual(['far/empty.rb:2']);
  expect(await ask('many/f7.rb', 'before_7', 'findReferences')).toEqual(['main.rb:1']);
  expect(await ask('far/empty.rb', 'empty?', 'findReferences')).toHaveLength(manyFiles + 1);
});

it('and the newest from its files, where the name is no more', async () => {
  expect(await served.definition('shop main.rb', 'before_7')).not.toContain('many/f7.rb:1');
});
