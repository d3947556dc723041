import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alice, startSymbols } from '../testing/start-symbols.ts';
import type { StartedSymbols } from '../testing/start-symbols.ts';

const { signal } = new AbortController();
let served: StartedSymbols;
beforeAll(async () => {
  served = await startSymbols({
    shop: {
      'many.py':
        'class Often:\n    def go(self): pass\nclass Seldom:\n    def go(self): pass\n' +
        'def a(x: Seldom):\n    x.go()\n    x.go()\n' +
        ['b', 'c', 'd'].map((name) => `def ${name}(x: Often):\n    x.go()\n`).join(''),
      'db.ts': 'export class Base {\n  close() {}\n}\nexport class Database extends Base {\n  query() {}\n}\n',
      'cache.ts': 'export class Cache {\n  query() {}\n  close() {}\n}\n',
      'store.ts':
        "import { Database } from './db';\nimport { Cache } from './cache';\nexport class Store {\n  cache = new Cache();\n  constructor(readonly db: Database) {}\n  load() { return this.db.query(); }\n  warm() { return this.cache.query(); }\n}\n",
      'use.ts':
        "import { Database } from './db';\nimport { Store } from './store';\nfunction f(database: Database) { database.close(); }\nconst store: Store = make();\nstore.db.query();\nfunction g<T>(value: T) { const value2: T = value; return value2; }\nfunction h(value: string) { return value; }\n",
      'models.py':
        'class Base:\n    def save(self):\n        pass\n\n\nclass Cart(Base):\n    def add(self):\n        self.save()\n',
      'above.py': 'from models import Base\n\n\nclass Above(Base):\n    def save(self):\n        super().save()\n',
      'other.py': 'class Other:\n    def add(self):\n        pass\n    def save(self):\n        pass\n',
      'use.py':
        'from models import Cart\nfrom other import Other\n\ncart = Cart()\ncart.add()\n\ndef f(it: Other):\n    it.save()\n',
    },
  });
});
afterAll(() => served[Symbol.asyncDispose]());

describe('a member is that of the type', () => {
  it.each([
    ['of a parameter, or of what that extends', 'use.ts', 'close', ['db.ts:2']],
    ['of properties one after the other', 'use.ts', 'query', ['db.ts:5']],
    ['of what a variable was made of, in Python', 'use.py', 'add', ['models.py:7']],
    ['that a parameter is said to have, in Python', 'use.py', 'save', ['other.py:4']],
    ['that the one around it extends, in Python', 'above.py', 'save', ['models.py:2']],
    ['around it, or what that extends, in Python', 'models.py', 'save', ['models.py:2']],
  ])('%s', async (_what, path, symbol, places) => {
    expect(await served.definition(`shop ${path}`, symbol)).toEqual(places);
  });

  it('that most uses stand behind comes first, though each is written once', async () => {
    expect(await served.definition('shop many.py', 'go')).toEqual(['many.py:2', 'many.py:4']);
  });

  it('and uses behind values of other types are not its', async () => {
    expect((await served.references('shop db.ts', 'query')).toSorted()).toEqual(['store.ts:6', 'use.ts:5']);
    expect(await served.references('shop other.py', 'save')).toEqual(['use.py:8']);
  });
});

describe('the line of a use', () => {
  const define = async (line: number, symbol = 'value', path = 'use.ts'): Promise<number[]> => {
    const { files } = await served.symbols.findDefinition(alice, { repo: 'shop', path, symbol, line }, signal);
    return files.flatMap(({ places }) => places.map((place) => place.line));
  };

  it('tells local names of several functions apart', async () => {
    expect([await define(6), await define(7)]).toEqual([[6], [7]]);
    expect(await define(6, 'T')).toEqual([6]);
  });

  it('tells members behind several values apart', async () => {
    expect([await define(6, 'query', 'store.ts'), await define(7, 'query', 'store.ts')]).toEqual([[5], [2]]);
  });
});
