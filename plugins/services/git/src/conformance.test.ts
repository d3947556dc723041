import { configuredRepositories, gitStoreConformance, repositoriesConformance } from '@sextant/contracts/testing';
import { describe, it } from 'vitest';
import { startGit } from './testing/start-git.ts';

describe('service-git conforms to Repositories', () => {
  it.each(repositoriesConformance)('$name', ({ run }) =>
    run(({ folder, ...served }) => startGit(folder, { repositories: configuredRepositories(served) })),
  );
});

describe('service-git conforms to GitStore', () => {
  it.each(gitStoreConformance)('$name', ({ run }) =>
    run(({ folder, ...served }) => startGit(folder, { repositories: configuredRepositories(served) })),
  );
});
