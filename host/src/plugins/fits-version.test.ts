import { expect, onTestFinished, test } from 'vitest';
import { run } from '../testing/run-sextant.ts';
import { configOf, pluginSource, scratch } from '../testing/scratch.ts';
import { fittingPackage } from './fits-version.ts';

const packageWith = async (sextant: unknown): Promise<string> => {
  const folder = await scratch();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const manifest = { name: '@acme/tool-x', version: '3.1.0', ...(sextant !== undefined && { engines: { sextant } }) };
  await folder.write('package.json', JSON.stringify(manifest));
  return folder.write('dist/index.js', '');
};

test.each([
  [undefined, '0.1.0'],
  ['^0.1.0', '0.1.7'],
  ['>=0.1 <0.3', '0.2.9'],
  ['*', '9.0.0'],
  ['^1.2.0', '1.3.0-beta.1'],
])('a plugin for %s fits Sextant %s', async (range, version) => {
  await expect(fittingPackage(await packageWith(range), version)).resolves.toMatchObject({ version: '3.1.0' });
});

test('one that does not fit is refused with both versions, and an unreadable range with its file', async () => {
  await expect(fittingPackage(await packageWith('^0.2.0'), '0.1.0')).rejects.toThrow(
    '@acme/tool-x 3.1.0 is made for Sextant ^0.2.0, and this is Sextant 0.1.0; install another release of one of them',
  );
  await expect(fittingPackage(await packageWith('newest'), '0.1.0')).rejects.toThrow(
    'package.json: engines.sextant is "newest"; it must be a range of versions, such as ^0.1.0',
  );
});

test('the program refuses an installed package and a folder before it runs any of their code', async () => {
  const folder = await scratch();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const manifest = JSON.stringify({
    name: 'tool-x',
    version: '1.0.0',
    exports: './index.js',
    engines: { sextant: '^7' },
  });
  for (const place of ['node_modules/tool-x', 'near']) {
    await folder.write(`${place}/package.json`, manifest);
    await folder.write(`${place}/index.js`, `throw new Error('it ran'); ${pluginSource('tool-x', 'a')}`);
  }
  for (const key of ['tool-x', './near']) {
    await folder.write('sextant.config.json', configOf({ [key]: {} }));
    const { code, stderr } = await run(['config', 'check'], { cwd: folder.folder });
    expect(code).toBe(1);
    expect(stderr).toContain('tool-x 1.0.0 is made for Sextant ^7, and this is Sextant 0.');
    expect(stderr).not.toContain('it ran');
  }
  await folder.write('sextant.config.json', configOf({ 'tool-x': { optional: true } }));
  expect(await run(['plugin', 'list'], { cwd: folder.folder })).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^tool-x +failed +tool-x 1\.0\.0 is made for Sextant \^7/m),
  });
});
