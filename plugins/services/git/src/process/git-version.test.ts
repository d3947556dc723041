import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { temporaryFolder } from '@sextant/contracts/testing';
import { expect, it } from 'vitest';
import { problemOfVersion } from './git-version.ts';

it.each([
  ['git version 2.39.5\n', undefined],
  ['git version 2.36.0\n', undefined],
  ['git version 3.0.0.windows.1\n', undefined],
  ['git version 2.35.8\n', /too old .*2\.35\.8.*install git 2\.36/],
  ['git version 1.99\n', /too old/],
  ['hub\n\u001b[2J', /unknown kind/],
  ['', /unknown kind/],
])('tells of %j whether it is new enough', (text, problem) => {
  if (problem === undefined) expect(problemOfVersion(text)).toBeUndefined();
  else expect(problemOfVersion(text)).toMatch(problem);
});

it('says that the service is not ready where git is missing', () => {
  using folder = temporaryFolder();
  // A program reads its PATH when it starts: this one is a process of its own.
  const script = `
    const { startGit } = await import(${JSON.stringify(join(import.meta.dirname, '..', 'testing', 'start-git.ts'))});
    const git = await startGit(${JSON.stringify(folder.path)}, { repositories: [] });
    console.log(JSON.stringify(git.status()));
    await git[Symbol.asyncDispose]();`;
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    env: { PATH: folder.path },
    cwd: import.meta.dirname,
  });
  expect(JSON.parse(output.toString())).toMatchObject({
    isReady: false,
    failures: [{ name: 'git', reason: expect.stringMatching(/cannot be run .*install git 2\.36/) }],
  });
});
