import { SextantError } from '@sextant/core';
import type { Comparison, ComparisonPage } from '@sextant/contracts';
import type { GitFolder } from './git-folder.ts';
import type { GitProgram } from './git-process.ts';

export interface ComparedCommits {
  readonly folder: GitFolder;
  /** Full hashes. */
  readonly base: string;
  readonly head: string;
  readonly signal: AbortSignal;
}

export class Comparer {
  readonly #git: GitProgram;

  constructor(git: GitProgram) {
    this.#git = git;
  }

  async mergeBase({ folder, base, head, signal }: ComparedCommits): Promise<string> {
    const output = await this.#git.run({ gitFolder: folder.path, args: ['merge-base', base, head], signal, exits: [0, 1] });
    return output.toString().trim() || base;
  }

  compare(_request: ComparisonPage & ComparedCommits): Promise<Comparison> {
    return Promise.reject(new SextantError('unavailable', 'comparing is not there yet'));
  }
}
