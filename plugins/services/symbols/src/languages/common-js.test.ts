import { afterAll, beforeAll, expect, it } from 'vitest';
import { alice, startSymbols } from '../testing/start-symbols.ts';
import type { StartedSymbols } from '../testing/start-symbols.ts';

let served: StartedSymbols;
beforeAll(async () => {
  served = await startSymbols({
    shop: {
      'lib/retry-handler.js':
        "'use strict'\n\nclass RetryHandler {\n  static make () {}\n  start () {}\n}\n\nmodule.exports = RetryHandler\n",
      'lib/agent.js':
        "const RetryHandler = require('./retry-handler')\nconst handler = new RetryHandler()\nhandler.start()\nRetryHandler.make()\n",
      'lib/renamed.js': "const Handler = require('./retry-handler.js')\nnew Handler()\n",
      'lib/modern.mjs': "import Retry from './retry-handler.js'\nnew Retry()\n",
      'lib/decoy.js': 'class RetryHandler {}\nnew RetryHandler()\n',
      'lib/named.js': '\nmodule.exports = class Named {\n  run () {}\n}\n',
      'lib/made.js': '\nmodule.exports = function make () {}\n',
      'lib/table.js': 'function shut () {}\nfunction open () {}\nmodule.exports = { open, close: shut }\n',
      'lib/given.js': 'function inner () {}\nexports.outer = inner\nmodule.exports.other = inner\n',
      'lib/passed.js': "module.exports = require('./retry-handler')\n",
      'index.js': "module.exports.RetryHandler = require('./lib/passed')\n",
      'use.js':
        "const Named = require('./lib/named')\nconst make = require('./lib/made')\nconst table = require('./lib/table')\nconst { outer, other } = require('./lib/given')\nconst { RetryHandler } = require('.')\nnew Named().run()\nmake()\ntable.open()\nouter()\nother()\nnew RetryHandler()\n",
      'round/a.js': "module.exports = require('./b')\n",
      'round/b.js': "module.exports = require('./a')\nmodule.exports.again = require('./b')\n",
      'round/use.js': "const round = require('./a')\nconst { again } = require('./b')\nround()\nagain()\n",
      'typed/index.js': 'class Cache {}\nmodule.exports = { Cache }\n',
      'typed/index.d.ts': 'export interface Limits {}\nexport class Cache {}\n',
      'typed/use.js': "const { Cache } = require('.')\nnew Cache()\n",
      'typed/use.ts': "import { Cache, Limits } from '.';\nconst cache: Limits = new Cache();\n",
      'parts/tools.js':
        '\nexports.sort = function () {}\nexports.sortAll = function (all) { return all.map(exports.sort) }\nmodule.exports.twice = () => module.exports.sort()\n',
      'parts/use.js': "var sort = require('./tools').sort\nconst all = require('./tools').sortAll\nsort()\nall()\n",
      'types/index.d.ts': '\ndeclare class Whole {}\nexport = Whole;\n',
      'types/use.ts': "import Whole = require('./index');\nnew Whole();\n",
    },
  });
});
afterAll(() => served[Symbol.asyncDispose]());

it.each([
  ['what a module is', 'shop lib/agent.js', 'RetryHandler', ['lib/retry-handler.js:3']],
  ['what it is under another name', 'shop lib/renamed.js', 'Handler', ['lib/retry-handler.js:3']],
  ['what it is where it is imported', 'shop lib/modern.mjs', 'Retry', ['lib/retry-handler.js:3']],
  ['a member of what it makes', 'shop lib/agent.js', 'start', ['lib/retry-handler.js:5']],
  ['a member of what it is', 'shop lib/agent.js', 'make', ['lib/retry-handler.js:4']],
  ['a class that is written there', 'shop use.js', 'Named', ['lib/named.js:2']],
  ['a member of that', 'shop use.js', 'run', ['lib/named.js:3']],
  ['a function that is written there', 'shop use.js', 'make', ['lib/made.js:2']],
  ['a module that is a table', 'shop use.js', 'table', ['lib/table.js:1']],
  ['a name of the table', 'shop use.js', 'open', ['lib/table.js:2']],
  ['a name that is given as another', 'shop use.js', 'outer', ['lib/given.js:1']],
  ['a name that is given to the module', 'shop use.js', 'other', ['lib/given.js:1']],
  ['what modules pass on', 'shop use.js', 'RetryHandler', ['lib/retry-handler.js:3']],
  ['the module where modules pass on each other', 'shop round/use.js', 'round', ['round/a.js:1']],
  ['the module that passes on itself', 'shop round/use.js', 'again', ['round/b.js:1']],
  ['a part that is taken of what is required', 'shop parts/use.js', 'sort', ['parts/tools.js:2']],
  ['such a part under another name', 'shop parts/use.js', 'all', ['parts/tools.js:3']],
  ['a part of the own exports', 'shop parts/tools.js', 'sort', ['parts/tools.js:2']],
  ['what a script runs, beside its declaration', 'shop typed/use.js', 'Cache', ['typed/index.js:1']],
  ['the declaration for TypeScript', 'shop typed/use.ts', 'Cache', ['typed/index.d.ts:2']],
  ['what a module is in TypeScript', 'shop types/use.ts', 'Whole', ['types/index.d.ts:2']],
])('a definition is found: %s', async (_what, at, symbol, places) => {
  expect(await served.definition(at, symbol)).toEqual(places);
});

it('references of what a module is are those of all who require it, under any name', async () => {
  const found = await served.references('shop lib/retry-handler.js', 'RetryHandler');
  expect(found.toSorted()).toEqual([
    'index.js:1',
    'lib/agent.js:1',
    'lib/agent.js:2',
    'lib/agent.js:4',
    'lib/modern.mjs:1',
    'lib/modern.mjs:2',
    'lib/renamed.js:1',
    'lib/renamed.js:2',
    'lib/retry-handler.js:8',
    'use.js:11',
    'use.js:5',
  ]);
});

it('references of what a module gives are those of its parts that are taken at once, and of its own exports', async () => {
  const places = await served.references('shop parts/tools.js', 'sort');
  expect(places).toEqual(['parts/tools.js:3', 'parts/tools.js:4', 'parts/use.js:1', 'parts/use.js:3']);
  expect(await served.references('shop parts/tools.js', 'sortAll')).toEqual(['parts/use.js:2', 'parts/use.js:4']);
});

it('a line that calls a part of what is required leads past the line that requires it', async () => {
  const request = { repo: 'shop', path: 'parts/use.js', symbol: 'sort', line: 3 };
  const { files } = await served.symbols.findDefinition(alice, request, new AbortController().signal);
  expect(files.map(({ path, places }) => [path, places[0]?.line])).toEqual([['parts/tools.js', 2]]);
});
