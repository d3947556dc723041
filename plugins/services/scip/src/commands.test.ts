import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { Principals, definePlugin } from '@sextant/core';
import { callerOf, startPlugins } from '@sextant/core/testing';
import type { StartedPlugins } from '@sextant/core/testing';
import git from '@sextant/service-git';
import { afterAll, beforeAll, expect, it } from 'vitest';
import plugin from './index.ts';
import { scipIndex } from './testing/scip-index.ts';

const index = scipIndex([{ path: 'a.ts', definitions: [['scip-test npm a 1 f().', [0, 9, 10]]] }], 'scip-typescript');
const people = definePlugin({
  name: 'people',
  provides: { principals: Principals },
  start: async () => ({
    principals: {
      value: {
        named: async (name) => (name === 'nobody' ? undefined : callerOf(name, { isSiteAdmin: name === 'admin' })),
      },
    },
  }),
});

const folder = temporaryFolder();
const project = join(folder.path, 'shop');
const installed = join(project, 'node_modules/@sourcegraph/scip-typescript');
let commit: string;
let started: StartedPlugins;
beforeAll(async () => {
  commit = new RepositoryBuilder({ folder: project }).commit({ files: { 'a.ts': 'function f() {}\n' } });
  writeFileSync(join(folder.path, 'index.scip'), index);
  mkdirSync(join(folder.path, 'data'));
  started = await startPlugins(join(folder.path, 'data'), [
    [
      git,
      {
        repositories: [
          { path: project, name: 'shop' },
          { url: `file://${folder.path}/none`, name: 'away' },
        ],
      },
    ],
    [people],
    [plugin],
  ]);
});
afterAll(async () => {
  await started[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const install = (program: string): void => {
  mkdirSync(installed, { recursive: true });
  writeFileSync(join(installed, 'package.json'), '{ "bin": { "scip-typescript": "main.js" } }');
  writeFileSync(join(installed, 'main.js'), program);
};
const upload = (change: object = {}): Promise<string> =>
  started.run('scip upload', { file: join(folder.path, 'index.scip'), repo: 'shop', commit: 'HEAD', ...change });
const indexProject = (): Promise<string> => started.run('scip index', { repo: 'shop', folder: project });

it('scip upload stores an index and says what is in it', async () => {
  expect(await upload()).toBe(`shop@${commit}: 1 documents and 1 occurrences by scip-typescript`);
});

it.each([
  ['a file that is not there', { file: '/nowhere/index.scip' }, 'there is no file /nowhere/index.scip'],
  ['a repository that is not there', { repo: 'shoop' }, /"shoop".*--repos FOLDER or --config FILE/],
  ['a user who is not there', { user: 'nobody' }, 'there is no enabled user "nobody"'],
  ['a user who may not', { user: 'alice' }, 'this needs the permission SCIP#UPLOAD'],
])('scip upload refuses %s', async (_what, change, message) => {
  await expect(upload(change)).rejects.toThrow(message);
});

it('scip upload says of a repository that cannot be read now that it cannot be read, not that there is none', async () => {
  await expect(upload({ repo: 'away' })).rejects.toMatchObject({ code: 'unavailable' });
});

it('scip index says how to install the indexer where it is not', async () => {
  await expect(indexProject()).rejects.toThrow('run `npm install --save-dev @sourcegraph/scip-typescript` there');
});

it('scip index runs the indexer that is installed beside the project', async () => {
  const written = JSON.stringify([...index]);
  install(`require('node:fs').writeFileSync(process.argv[4], Uint8Array.from(${written}));`);
  expect(await indexProject()).toContain('1 documents');
  install('process.stderr.write("no tsconfig.json"); process.exitCode = 3;');
  await expect(indexProject()).rejects.toThrow('scip-typescript failed with exit code 3: no tsconfig.json');
});
