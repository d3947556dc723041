import { afterAll, beforeAll, expect, it } from 'vitest';
import { startSymbols } from '../testing/start-symbols.ts';
import type { StartedSymbols } from '../testing/start-symbols.ts';

let served: StartedSymbols;
beforeAll(async () => {
  served = await startSymbols({
    many: {
      'php/Router.php': '<?php\nnamespace Acme;\n\ninterface Router {\n  function go(string $to): string;\n}\n',
      'php/Fast.php':
        '<?php\nnamespace Acme;\n\nclass Fast implements Router {\n  function go(string $to): string { return $to; }\n}\n',
      'php/Slow.php':
        '<?php\nnamespace Acme;\n\nclass Slow implements Router {\n  function go(string $to): string { return $to; }\n}\n',
      'php/App.php':
        '<?php\nnamespace Acme;\n\nclass App {\n  function run(Router $router, Slow $slow) {\n    $router->go("a");\n    $slow->go("b");\n  }\n}\n',
      'java/src/a/Base.java':
        'package a;\n\nabstract class Base {\n  abstract int step();\n  int twice() { return step() + step(); }\n}\n',
      'java/src/a/Leaf.java': 'package a;\n\nclass Leaf extends Base {\n  int step() { return 1; }\n}\n',
      'java/src/a/Other.java':
        'package a;\n\nclass Other {\n  int step() { return 2; }\n  int all() { return step(); }\n}\n',
      'py/store.py':
        'class Store:\n    def load(self):\n        pass\n\n\nclass Disk(Store):\n    def load(self):\n        super().load()\n        Store.load(self)\n\n\nclass Fast(Disk):\n    def load(self):\n        pass\n\n\ndef run(store: Store, disk: Disk):\n    store.load()\n    disk.load()\n',
      'ts/store.ts':
        'export interface Store { load(): void }\n\nexport class Disk implements Store {\n  load(): void {}\n}\n\nexport const run = (store: Store): void => store.load();\n',
    },
  });
});
afterAll(() => served[Symbol.asyncDispose]());

it.each([
  ['php/Fast.php', 'Fast.go', ['php/App.php:6']],
  ['php/Slow.php', 'Slow.go', ['php/App.php:6', 'php/App.php:7']],
  ['php/Router.php', 'Router.go', ['php/App.php:6', 'php/App.php:7']],
  ['java/src/a/Leaf.java', 'Leaf.step', ['java/src/a/Base.java:5', 'java/src/a/Base.java:5']],
  ['java/src/a/Other.java', 'Other.step', ['java/src/a/Other.java:5']],
  ['py/store.py', 'Fast.load', ['py/store.py:18', 'py/store.py:19']],
  ['py/store.py', 'Disk.load', ['py/store.py:18', 'py/store.py:19']],
  ['py/store.py', 'Store.load', ['py/store.py:8', 'py/store.py:9', 'py/store.py:18']],
  ['ts/store.ts', 'Disk.load', ['ts/store.ts:7']],
])('a call through a base type counts for what overrides its member: %s %s', async (path, symbol, places) => {
  expect(await served.references(`many ${path}`, symbol)).toEqual(places);
});
