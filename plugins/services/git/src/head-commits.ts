import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { signatureOf } from './file-signature.ts';
import type { GitFolder } from './git-folder.ts';
import { packedHash } from './packed-refs.ts';

interface Packed {
  readonly ref: string;
  readonly commit: string | undefined;
  readonly signature: string;
}

const isBranch = /^refs\/heads\/(?!.*\.\.)/;
const fullHash = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Reads the commit of the default branch from the files in which git keeps refs: a process of git takes a hundred times as long to start. */
export class HeadCommits {
  readonly #packed = new WeakMap<GitFolder, Packed>();

  /** Undefined where only git can tell: a detached HEAD, a branch without commits, refs in tables. Throws `unavailable` where there is no HEAD. */
  of(folder: GitFolder): string | undefined {
    const ref = folder.headRef();
    if (ref === undefined || !isBranch.test(ref)) return undefined;
    const loose = textOf(join(folder.commonPath, ref));
    if (loose === undefined) return this.#packedIn(folder, ref);
    return fullHash.exec(loose.trimEnd())?.[0];
  }

  /** Git writes the packed refs before it removes the files of those refs, so who misses the one finds the other. */
  #packedIn(folder: GitFolder, ref: string): string | undefined {
    const file = join(folder.commonPath, 'packed-refs');
    const { text: signature, isSettled } = signatureOf([file]);
    const known = this.#packed.get(folder);
    if (known?.signature === signature && known.ref === ref) return known.commit;
    const commit = packedHash(file, ref);
    if (isSettled) this.#packed.set(folder, { ref, commit, signature });
    return commit;
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return undefined;
  }
}
