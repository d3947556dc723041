import { execFile } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { newPlugin } from './new-plugin.ts';
import { pluginKinds } from './plugin-kinds.ts';
import { place } from '../testing/place.ts';

test.each(pluginKinds)('`plugin new --kind %s` names the plugin as it was asked to', async (kind) => {
  const { path } = await place();
  await newPlugin('@acme/my-own', kind, path(''));
  expect(await readFile(path('my-own/src/index.ts'), 'utf8')).toContain("name: 'my-own'");
});

test('a value whose name the code has already, or JavaScript keeps for itself, is named with its kind', async () => {
  const { sextant, path } = await place();
  for (const [name, kind, written] of [
    ['tool-path', 'tool', "export const pathTool = defineTool({\n  name: 'path',"],
    ['tool-delete', 'tool', "export const deleteTool = defineTool({\n  name: 'delete',"],
    ['source-z', 'source', 'function zSource('],
    ['service-map', 'service', 'export const MapService = token<MapService>('],
    ['tool-todos', 'tool', 'export const todos = defineTool('],
  ] as const) {
    expect(await sextant('plugin', 'new', name, '--kind', kind)).toMatchObject({ code: 0 });
    expect(await readFile(path(`${name}/src/index.ts`), 'utf8')).toContain(written);
  }
});

const examples = fileURLToPath(new URL('../../examples', import.meta.url));

test('the tests of all examples pass', async () => {
  // That of a language has a grammar from npm, which `npm run test:packages` installs.
  const names = (await readdir(examples)).filter((name) => name !== 'language');
  const files = names.map((name) => join(examples, name, 'index.test.ts'));
  await promisify(execFile)(process.execPath, ['--test', '--test-isolation=none', ...files]);
});

test('every example has a page that shows its code as it is', async () => {
  const pages = fileURLToPath(new URL('../../../docs/examples', import.meta.url));
  const names = await readdir(examples);
  expect((await readdir(pages)).toSorted()).toEqual(names.map((name) => `${name}.md`).toSorted());
  for (const name of names) {
    const source = await readFile(join(examples, name, 'index.ts'), 'utf8');
    expect(await readFile(join(pages, `${name}.md`), 'utf8')).toContain(`\`\`\`ts\n${source}\`\`\``);
  }
});

test('a name that no package may have is wrong usage', async () => {
  const { sextant } = await place();
  expect(await sextant('plugin', 'new', '../x')).toMatchObject({ code: 2, stderr: expect.stringContaining('must be') });
});
