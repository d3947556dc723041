import type { StoredRef } from '@sextant/contracts';
import type { GitFolder } from '../storage/git-folder.ts';
import type { GitProgram } from '../process/git-process.ts';
import { RefMemory } from './ref-memory.ts';
import { linesOf, parseRawRef } from './ref-targets.ts';
import type { RawRef, RefTargets } from './ref-targets.ts';

/** Finds the commits of all refs, whatever they are called. */
export class RefCommits {
  readonly #git: GitProgram;
  readonly #targets: RefTargets;
  readonly #known = new RefMemory<StoredRef>(['refs']);

  constructor(git: GitProgram, targets: RefTargets) {
    this.#git = git;
    this.#targets = targets;
  }

  list(folder: GitFolder, signal: AbortSignal): Promise<readonly StoredRef[]> {
    return this.#known.list(folder, () => this.#read(folder, signal));
  }

  async #read(folder: GitFolder, signal: AbortSignal): Promise<readonly StoredRef[]> {
    const args = ['for-each-ref', '--format=%(refname)%00%(objectname)'];
    const output = this.#git.stream({ gitFolder: folder.path, args, signal });
    const refs: RawRef[] = [];
    for await (const lines of linesOf(output)) refs.push(...lines.map(parseRawRef));
    const targets = await this.#targets.of(refs, { folder, signal });
    return refs.flatMap(({ name, id }) => {
      const commit = targets.get(id)?.commit;
      return commit === undefined ? [] : [{ name, commit }];
    });
  }
}
