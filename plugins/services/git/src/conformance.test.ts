import { repositoriesConformance } from '@sextant/contracts/testing';
import { describe, it } from 'vitest';
import { startGit } from './testing/start-git.ts';

describe('service-git conforms to Repositories', () => {
  it.each(repositoriesConformance)('$name', ({ run }) =>
    run(({ folder, repositories, hidden }) => {
      const entries = Object.entries(repositories).map(([name, path]) => ({
        name,
        path,
        ...(hidden.includes(name) && { access: {} }),
      }));
      return startGit(folder, { repositories: entries });
    }),
  );
});
