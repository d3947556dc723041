import { mkdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { scratch } from '../../testing/scratch.ts';
import { sourceOf, workingDirectory } from './working-directory.ts';

test('with no flags and no config it serves the git repository that it stands in', async () => {
  await using place = await scratch();
  await mkdir(place.path('repo/.git'), { recursive: true });
  await mkdir(place.path('repo/src/deep'), { recursive: true });
  expect((await sourceOf({}, [], place.path('repo/src/deep'))).repositories).toEqual([place.path('repo')]);
  expect((await sourceOf({}, [place.path('repo/src')], place.path('repo'))).repositories).toEqual([
    place.path('repo/src'),
  ]);
});

test('a bare repository is one to stand in, too', async () => {
  await using place = await scratch();
  for (const part of ['objects', 'refs']) await mkdir(place.path(`x.git/${part}`), { recursive: true });
  await place.write('x.git/HEAD', 'ref: refs/heads/main\n');
  expect((await sourceOf({}, [], place.path('x.git'))).repositories).toEqual([place.path('x.git')]);
});

test('a configuration says itself what to serve', async () => {
  await using place = await scratch();
  await mkdir(place.path('.git'));
  const file = await place.write('sextant.config.yaml', '');
  expect(await sourceOf({}, [], place.folder)).toMatchObject({ file, repositories: [] });
});

test('under npm it is the folder in which npm was called; elsewhere what npm left in the environment means nothing', () => {
  const env = { INIT_CWD: '/home/ann/work', npm_package_json: '/opt/sextant/package.json' };
  expect(workingDirectory(env, '/opt/sextant')).toBe('/home/ann/work');
  expect(workingDirectory(env, '/srv')).toBe('/srv');
});
