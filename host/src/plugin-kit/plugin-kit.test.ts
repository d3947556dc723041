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
