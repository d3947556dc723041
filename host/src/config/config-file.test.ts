import { chmod, mkdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { scratch } from '../testing/scratch.ts';
import { findConfigFile, readConfigFile } from './config-file.ts';

const places = [
  'sextant.config.json',
  'sextant.config.yaml',
  'sextant.config.js',
  'sextant.config.ts',
  '.sextantrc',
  'package.json',
];

test.each(places)('%s is found from a folder below it', async (name) => {
  await using place = await scratch();
  const content = /\.[jt]s$/.test(name)
    ? `export default { logLevel: 'warn' };`
    : '{ "sextant": { "logLevel": "warn" }, "logLevel": "warn" }';
  const file = await place.write(name, content);
  await mkdir(place.path('a/b'), { recursive: true });
  expect(await findConfigFile(place.path('a/b'))).toBe(file);
  expect((await readConfigFile(file, place.folder)).value).toMatchObject({ logLevel: 'warn' });
});

test('a package.json without the key is no configuration', async () => {
  await using place = await scratch();
  await place.write('package.json', '{ "name": "x" }');
  expect(await findConfigFile(place.folder)).toBeUndefined();
});

test('the search ends at the top of a git repository', async () => {
  await using place = await scratch();
  await place.write('sextant.config.yaml', 'logLevel: warn');
  await mkdir(place.path('repo/.git'), { recursive: true });
  await mkdir(place.path('repo/src'));
  expect(await findConfigFile(place.path('repo/src'))).toBeUndefined();
});

test('a folder that anyone may write to is not looked into on the way up', async () => {
  await using place = await scratch();
  await place.write('open/sextant.config.js', 'export default {}');
  await mkdir(place.path('open/mine'));
  await chmod(place.path('open'), 0o777);
  expect(await findConfigFile(place.path('open/mine'))).toBeUndefined();
});

test('an empty file is an empty configuration', async () => {
  await using place = await scratch();
  const file = await place.write('sextant.config.yaml', '# nothing yet\n');
  expect(await findConfigFile(place.folder)).toBe(file);
  expect((await readConfigFile(file, place.folder)).value).toEqual({});
});

test('lines are known in YAML, JSON and package.json', async () => {
  await using place = await scratch();
  const yaml = await readConfigFile(
    await place.write('sextant.config.yaml', 'a: 1\nmcp.enabled: true\nusers:\n  - name: x\n'),
    place.folder,
  );
  expect([yaml.lineOf(['mcp.enabled']), yaml.lineOf(['users', 0, 'name']), yaml.lineOf(['users', 0, 'email'])]).toEqual(
    [2, 4, undefined],
  );
  const manifest = await readConfigFile(
    await place.write('package.json', '{\n"sextant": {\n"logLevel": 1 } }'),
    place.folder,
  );
  expect(manifest.lineOf(['logLevel'])).toBe(3);
});
