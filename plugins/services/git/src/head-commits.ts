import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { signatureOf } from './file-signature.ts';
import type { GitFolder } from './git-folder.ts';
import { packedHash } from './packed-refs.ts';
import { fullHash } from './full-hash.ts';

interface Known {
  readonly ref: string;
  readonly commit: string | undefined;
  readonly signature: string;
}

const isBranch = /^refs\/heads\/(?!.*\.\.)/;

/** Reads the commit of the default branch from the files in which git keeps refs: a process of git takes a hundred times as long to start. */
export class HeadCommits {
  readonly #known = new WeakMap<GitFolder, Known>();

  /** Undefined where only git can tell: a detached HEAD, a branch without commits, refs in tables. Throws `unavailable` where there is no HEAD. */
  of(folder: GitFolder): string | undefined {
    const ref = folder.headRef();
    if (ref === undefined || !isBranch.test(ref)) return undefined;
    const loose = join(folder.commonPath, ref);
    const packed = join(folder.commonPath, 'packed-refs');
    const { text: signature, isSettled } = signatureOf([loose, packed]);
    const known = this.#known.get(folder);
    if (known?.signature === signature && known.ref === ref) return known.commit;
    const commit = commitIn({ loose, packed, ref });
    if (isSettled) this.#known.set(folder, { ref, commit, signature });
    return commit;
  }
}

/** Git writes the packed refs before it removes the files of those refs, so who misses the one finds the other. */
function commitIn({ loose, packed, ref }: { loose: string; packed: string; ref: string }): string | undefined {
  const text = textOf(loose);
  return text === undefined ? packedHash(packed, ref) : fullHash.exec(text.trimEnd())?.[0];
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return undefined;
  }
}
