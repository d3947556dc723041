import { researchedRepositories, researcherConformance, temporaryFolder } from '@sextant/contracts/testing';
import type { TemporaryFolder } from '@sextant/contracts/testing';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { startResearcher } from './testing/start-researcher.ts';
import type { StartedResearcher } from './testing/start-researcher.ts';

let folder: TemporaryFolder;
let started: StartedResearcher;

beforeAll(async () => {
  folder = temporaryFolder();
  started = await startResearcher(researchedRepositories(folder.path));
});
afterAll(async () => {
  await started[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

describe('one process conforms to Researcher', () => {
  it.each(researcherConformance)('$name', ({ run }) => run(started.researcher));
});
