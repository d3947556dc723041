import { SextantError } from '@sextant/core';
import type { Repositories, Repository, RepositoryInfo } from '../code/repositories.ts';

const missing = async (): Promise<never> => {
  throw new Error('the test did not say what this method answers');
};

const info: RepositoryInfo = {
  name: 'shop',
  description: '',
  isPrivate: false,
  isArchived: false,
  isFork: false,
  defaultBranch: 'main',
};

/** Repositories of which there is one, `shop`; its methods answer what the test says. */
export function oneRepository(methods: Partial<Repository>): Repositories {
  const repository: Repository = {
    info,
    resolve: async () => 'c'.repeat(40),
    find: missing,
    readCommit: missing,
    readBytes: missing,
    readText: missing,
    readTextAt: async (revision, path, signal) => {
      const commit = await repository.resolve(revision, signal);
      return { commit, file: await repository.readText(commit, path, signal) };
    },
    blame: missing,
    trace: missing,
    listTree: missing,
    listRefs: missing,
    mergeBase: missing,
    compare: missing,
    ...methods,
  };
  return {
    list: async () => [repository.info],
    open: async (_caller, name) => {
      if (name !== repository.info.name) throw new SextantError('not_found', `repository "${name}" not found`);
      return repository;
    },
  };
}
