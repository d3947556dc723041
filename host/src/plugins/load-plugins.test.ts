import { mkdir, stat, symlink, utimes } from 'node:fs/promises';
import { runTool } from '@sextant/core/testing';
import { preset } from '@sextant/preset';
import { expect, test } from 'vitest';
import { loadPlugins } from './load-plugins.ts';
import type { LoadedPlugins } from './load-plugins.ts';
import { alone, pluginSource, scratch, trusted } from '../testing/scratch.ts';
import type { Scratch } from '../testing/scratch.ts';

const load = ({ folder }: Scratch, plugins: object): Promise<LoadedPlugins> =>
  loadPlugins(alone(trusted(plugins)), folder);

const names = ({ plugins }: LoadedPlugins): string[] => plugins.map(({ plugin }) => plugin.name);

test('a plugin beside the configuration is a file, with or without its extension, or a folder', async () => {
  await using place = await scratch();
  await place.write('plugins/one.ts', pluginSource('one', '1'));
  await place.write('plugins/two/index.ts', pluginSource('two', '2'));
  await place.write(
    'plugins/three/package.json',
    '{ "name": "@acme/three", "type": "module", "exports": { ".": { "types": "./x.d.ts", "import": "./lib/main.js" } } }',
  );
  await place.write('plugins/three/lib/main.js', pluginSource('three', '3'));
  const loaded = await load(place, {
    './plugins/one': {},
    './plugins/one.ts': false,
    './plugins/two': {},
    [place.path('plugins/three')]: {},
  });
  expect(loaded.problems).toEqual([]);
  expect(names(loaded)).toEqual(['one', 'two', 'three']);
});

test('a plugin may be a package that is installed beside the configuration', async () => {
  await using place = await scratch();
  await place.write(
    'node_modules/@acme/sextant-tool-tickets/package.json',
    '{ "name": "@acme/sextant-tool-tickets", "type": "module", "main": "./index.js" }',
  );
  await place.write(
    'node_modules/@acme/sextant-tool-tickets/index.js',
    `import { Repositories } from '@sextant/contracts'; import { definePlugin } from '@sextant/core';
export default definePlugin({ name: 'tool-tickets', needs: { repositories: Repositories } });`,
  );
  expect(names(await load(place, { '@acme/sextant-tool-tickets': {} }))).toEqual(['tool-tickets']);
  expect(names(await load(place, { '@acme/sextant-tool-tickets': false }))).toEqual([]);
});

test('the preset runs unless it is switched off, by short or by full name', async () => {
  await using place = await scratch();
  const loaded = await loadPlugins({ 'tool-list-refs': false, '@sextant/tool-list-repos': false }, place.folder);
  expect(loaded.problems).toEqual([]);
  const others = preset.filter((name) => !/tool-list-re(fs|pos)$/.test(name));
  expect(names(loaded).toSorted()).toEqual(others.map((name) => name.replace('@sextant/', '')).toSorted());
});

test('a name that is neither of the preset nor installed is refused with the nearest that is', async () => {
  await using place = await scratch();
  const { problems } = await load(place, { 'tool-lits-refs': false, 'tool-x': 7 });
  expect(problems).toEqual([
    { path: ['plugins', 'tool-x'], text: "expected false (off) or a mapping of the plugin's settings, found 7" },
    {
      path: ['plugins', 'tool-lits-refs'],
      text: 'neither a plugin of the preset nor a package that is installed beside the configuration. Did you mean "tool-list-refs"?',
    },
  ]);
});

test('a name that nobody has is refused with what may be meant, or how to have it', async () => {
  await using place = await scratch();
  await place.write('package.json', '{ "dependencies": { "@acme/tool-tickets": "1.0.0" } }');
  const { problems } = await load(place, { 'tool-tickets': {}, '@acme/unheard-of': {}, other: { allow: ['netwerk'] } });
  expect(problems.map(({ text }) => text.replace(/^neither .* configuration\. /, ''))).toEqual([
    'allow: expected a list of network, filesystem, process, language-model, found "netwerk". Did you mean "network"?',
    'Did you mean "@acme/tool-tickets"?',
    `"npm install @acme/unheard-of" in ${place.folder} installs one; a file or folder is named by its path, such as "./unheard-of"`,
  ]);
});

test.each([{ isolation: 'process' }, { trusted: true }])(
  'TypeScript beside a package.json of `npm init`, which says "commonjs", is an ES module: %o',
  async (where) => {
    await using place = await scratch();
    await place.write('package.json', '{ "type": "commonjs" }');
    await place.write('plugins/one.ts', `export { default } from './two.ts';`);
    await place.write('plugins/two.ts', pluginSource('two', '2'));
    await place.write('plugins/old.js', pluginSource('old', '3'));
    const loaded = await load(place, { './plugins/one': where, './plugins/old.js': where });
    expect(names(loaded)).toEqual(['two']);
    expect(loaded.problems.map(({ text }) => text)).toEqual([
      expect.stringMatching(/old\.js.* failed while loading: .*It is read as CommonJS: say "type": "module"/),
    ]);
  },
);

test('one plugin named twice is refused', async () => {
  await using place = await scratch();
  const { problems } = await loadPlugins({ 'tool-list-refs': false, '@sextant/tool-list-refs': {} }, place.folder);
  expect(problems).toContainEqual({
    path: ['plugins', '@sextant/tool-list-refs'],
    text: 'names the same plugin as "tool-list-refs"; keep one of them',
  });
});

test('a plugin of an older release lacks what was not known then, and stays one value', async () => {
  await using place = await scratch();
  await place.write(
    'old.ts',
    `import { z } from 'zod';
export default { kind: 'sextant-plugin/1', name: 'old', config: z.object({}), tools: [], reports: [], needs: {} };`,
  );
  const [first, second] = [await load(place, { './old': {} }), await load(place, { './old': {} })];
  expect(first.problems).toEqual([]);
  expect(first.plugins[0]?.plugin).toMatchObject({ name: 'old', pages: [], contributions: [] });
  expect(second.plugins[0]?.plugin).toBe(first.plugins[0]?.plugin);
});

const broken = {
  './throws.ts': [`throw new Error('boom');`, 'throws.ts:1 failed while loading: boom'],
  './none.ts': [
    'export const x = 1;',
    'none.ts has no plugin as its default export; it should end with `export default definePlugin({ … })`',
  ],
  './handmade.ts': [
    `export default { kind: 'sextant-plugin/1', name: 'handmade' };`,
    'handmade.ts: it lacks config, which must be a zod schema of an object',
  ],
  './no-tool.ts': [
    `import { definePlugin } from '@sextant/core';\nexport default definePlugin({ name: 'no-tool', tools: [{ name: 'x' }] });`,
    'no-tool.ts:2 failed while loading: plugin no-tool: its tool "x" lacks title, which must be a text',
  ],
  './resource.mjs': [
    `import { definePlugin, defineResource } from '@sextant/core';
const todos = defineResource({ name: 'todos', title: 'To do', description: 'What is to do.', uri: 'todo:all', needs: {}, read: async () => ({ mimeType: 'text/plain', text: '' }) });
export default definePlugin({ name: 'resource', resources: [todos] });`,
    'resource.mjs:3 failed while loading: plugin resource: its resource "todos" lacks withTools, which must be a list of texts',
  ],
  './endpoint.ts': [
    pluginSource('endpoint', '').replace("['default']", "['defualt']"),
    'endpoint.ts:4 failed while loading: tool endpoint: there is no endpoint "defualt" to be listed on; allowed are default and deepsearch. Every tool is on /.api/mcp/all',
  ],
  './syntax.ts': [
    `import { definePlugin } from '@sextant/core';\nconst x = {;`,
    'syntax.ts:2 failed while loading: Unexpected token `;`. Expected identifier, string literal, numeric literal or [ for the computed key',
  ],
  './later.ts': [
    `export default { kind: 'sextant-plugin/2' };`,
    'later.ts is made for another version of the plugin API (sextant-plugin/2, and this is sextant-plugin/1); it takes a newer Sextant',
  ],
  './earlier.ts': [
    `export default { kind: 'sextant-plugin/0' };`,
    'earlier.ts is made for another version of the plugin API (sextant-plugin/0, and this is sextant-plugin/1); it takes a newer release of the plugin',
  ],
} as const;

test.each(Object.entries(broken))('%s is named with the reason', async (key, [source, reason]) => {
  await using place = await scratch();
  await place.write(key, source);
  const { problems } = await load(place, { [key]: {} });
  expect(problems).toEqual([{ path: ['plugins', key], text: place.path(reason) }]);
});

test('an isolated plugin may be a package that is linked to where it is written', async () => {
  await using place = await scratch();
  await place.write('written/linked/package.json', '{ "name": "linked", "type": "module", "main": "./index.js" }');
  await place.write('written/linked/index.js', `import './more.js';${pluginSource('linked', '1')}`);
  await place.write('written/linked/more.js', '');
  await mkdir(place.path('node_modules'));
  await symlink('../written/linked', place.path('node_modules/linked'));
  const { plugins, problems } = await loadPlugins({ ...alone(), linked: {} }, place.folder);
  expect(problems).toEqual([]);
  expect(plugins.map(({ plugin, isolation }) => [plugin.name, isolation])).toEqual([['linked', 'process']]);
});

test('a plugin that is not there is named with the place', async () => {
  await using place = await scratch();
  const { problems } = await load(place, { './gone': {} });
  expect(problems).toEqual([
    {
      path: ['plugins', './gone'],
      text: `${place.path('gone')} is neither a file nor a folder with a plugin; ${place.folder} has nothing.`,
    },
  ]);
  await place.write('plugins/hello.tsx', '');
  const near = await load(place, { './plugins/helo.tsx': {}, './plugins': {}, './nowhere/x': {} });
  expect(near.problems.map(({ text }) => text)).toEqual([
    `${place.path('plugins/helo.tsx')} is neither a file nor a folder with a plugin; ${place.path('plugins')} has hello.tsx. Did you mean "hello.tsx"?`,
    `${place.path('plugins')} has no plugin: neither a package.json with "exports" or "main", nor an index.ts, index.js or src/index.ts`,
    `${place.path('nowhere/x')} is neither a file nor a folder with a plugin: there is no folder ${place.path('nowhere')}`,
  ]);
});

test('a plugin that the operator does not call trusted is isolated, those of the preset never', async () => {
  await using place = await scratch();
  await place.write('one.ts', pluginSource('one', '1'));
  await place.write('two.ts', pluginSource('two', '2'));
  const loaded = await loadPlugins(
    { ...alone(), '@sextant/tool-list-refs': {}, './one': {}, './two': { trusted: true } },
    place.folder,
  );
  expect(loaded.plugins.map(({ plugin, isolation }) => [plugin.name, isolation])).toEqual([
    ['tool-list-refs', 'in-process'],
    ['one', 'process'],
    ['two', 'in-process'],
  ]);
  const isolated = await loadPlugins({ ...alone(), '@sextant/tool-list-refs': { isolation: 'process' } }, place.folder);
  expect(isolated.problems).toEqual([
    { path: ['plugins', '@sextant/tool-list-refs'], text: "a plugin of the preset runs in the server's process" },
  ]);
});

test('an isolated plugin takes no path that others have, and nobody else has its services', async () => {
  await using place = await scratch();
  const source = (name: string, more: string): string =>
    `import { definePage, definePlugin, defineReport, token } from '@sextant/core'; import { z } from 'zod';
const page = (path) => definePage({ name: 'form', method: 'POST', path, access: 'anyone', needs: {}, respond: async () => new Response('') });
const report = defineReport({ name: 'sums', path: '/api/sums', query: z.object({}), needs: {}, columns: () => ['a'], async *rows() {} });
export default definePlugin({ name: '${name}', ${more} });`;
  await place.write('honest.ts', source('honest', `pages: [page('/sign-in')], reports: [report]`));
  await place.write('phisher.ts', source('phisher', `pages: [page('/sign-in/again')]`));
  await place.write('health.ts', source('health', `pages: [page('/healthz')]`));
  await place.write('sums.ts', source('sums', `reports: [report]`));
  await place.write(
    'giver.ts',
    source('giver', `provides: { it: token('gift') }, start: async () => ({ it: { value: {} } })`),
  );
  await place.write('taker.ts', source('taker', `needs: { it: token('gift') }`));
  const optional = { optional: true };
  const { plugins, quarantined } = await loadPlugins(
    alone({
      './honest': { trusted: true },
      './phisher': optional,
      './health': optional,
      './sums': optional,
      './giver': optional,
      './taker': { trusted: true, ...optional },
    }),
    place.folder,
  );
  expect(plugins.map(({ plugin }) => plugin.name)).toEqual(['honest', 'giver']);
  const taken = 'is of others; an isolated plugin may have paths whose first part nobody has';
  expect(Object.fromEntries(quarantined.map(({ plugin, reason }) => [plugin, reason]))).toEqual({
    './phisher': `its page form is at /sign-in/again, and /sign-in ${taken}`,
    './health': `its page form is at /healthz, and /healthz ${taken}`,
    './sums': 'its report sums is at /api/sums, where another report is',
    './taker':
      'plugin taker needs "gift" of giver, which runs in a process of its own: only its own parts can have that. "trusted: true" below ./giver lets others have it',
  });
});

test('the server may start without a plugin that is marked optional', async () => {
  await using place = await scratch();
  await place.write('throws.ts', `throw new Error('boom');`);
  const { problems, quarantined } = await load(place, { './throws.ts': { optional: true } });
  expect(problems).toEqual([]);
  expect(quarantined).toEqual([
    { plugin: './throws.ts', reason: `${place.path('throws.ts')}:1 failed while loading: boom` },
  ]);
});

test('a file among others is imported again when a module that it imports changes', async () => {
  await using place = await scratch();
  await place.write(
    'plugins/one.ts',
    pluginSource('one', '1').replace('"1"', 'answer').concat(`\nimport { answer } from './lib/answer.ts';`),
  );
  await place.write('plugins/lib/answer.ts', `export { answer } from './deep.ts';`);
  await place.write('plugins/lib/deep.ts', `export const answer: string = 'old';`);
  const answer = async (): Promise<string> => {
    const tool = (await load(place, { './plugins/one': {} })).plugins[0]?.plugin.tools[0];
    if (!tool) throw new Error('no tool');
    return (await runTool(tool, {})).text;
  };
  expect(await answer()).toBe('old');
  await place.write('plugins/lib/deep.ts', `export const answer: string = 'newer';`);
  expect(await answer()).toBe('newer');
  await place.write('plugins/lib/deep.ts', `export const answer = '';\nthrow new Error('deep');`);
  const { problems } = await load(place, { './plugins/one': {} });
  expect(problems[0]?.text).toBe(`${place.path('plugins/lib/deep.ts')}:2 failed while loading: deep`);
});

test('a file that did not change stays the same value, one that did becomes a new one with all that it imports', async () => {
  await using place = await scratch();
  await place.write(
    'plug/index.ts',
    pluginSource('plug', '1').replace('"1"', 'answer').concat(`\nimport { answer } from './answer.ts';`),
  );
  const answer = await place.write('plug/answer.ts', `export const answer: string = 'old';`);
  const before = (await load(place, { './plug': {} })).plugins[0]?.plugin;
  expect((await load(place, { './plug': {} })).plugins[0]?.plugin).toBe(before);

  await place.write('plug/answer.ts', `export const answer: string = 'new';`);
  const later = (await stat(answer)).mtimeMs / 1000 + 10;
  await utimes(answer, later, later);
  const after = (await load(place, { './plug': {} })).plugins[0]?.plugin;
  expect(after).not.toBe(before);
  if (!after?.tools[0]) throw new Error('no tool');
  expect((await runTool(after.tools[0], {})).text).toBe('new');
});
