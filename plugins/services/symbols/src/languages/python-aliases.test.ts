import { afterAll, beforeAll, expect, it } from 'vitest';
import { startSymbols } from '../testing/start-symbols.ts';
import type { StartedSymbols } from '../testing/start-symbols.ts';

let served: StartedSymbols;
beforeAll(async () => {
  served = await startSymbols({
    app: {
      'pack/__init__.py': 'from .plain import Render as Render\n',
      'pack/plain.py': 'class Render:\n    def flush(self):\n        pass\n',
      'pack/fancy.py':
        'from .plain import Render as PlainRender\n\n\nclass Render(PlainRender):\n    def again(self):\n        return PlainRender.flush(self)\n',
      'tests/use.py': 'from pack import Render as Shown\n\nShown().flush()\n',
    },
  });
});
afterAll(() => served[Symbol.asyncDispose]());

it('uses of a name in Python are found under the names that imports give it', async () => {
  expect(await served.references('app pack/plain.py', 'Render')).toEqual([
    'pack/__init__.py:1',
    'pack/fancy.py:1',
    'pack/fancy.py:4',
    'pack/fancy.py:6',
    'tests/use.py:1',
    'tests/use.py:3',
  ]);
});

it('a name in an import means what is imported, whatever else the file calls so', async () => {
  expect(await served.references('app pack/fancy.py', 'Render')).toEqual([]);
});
