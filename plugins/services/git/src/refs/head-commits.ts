import { join } from 'node:path';
import { SeenFiles, stateOf } from '../storage/file-signature.ts';
import type { GitFolder } from '../storage/git-folder.ts';
import { packedHash } from './packed-refs.ts';
import { fullHash } from '../objects/object-reader.ts';
import { maxRefBytes } from './ref-files.ts';
import { readRegular } from '../storage/regular-file.ts';

interface Known {
  readonly commit: string | undefined;
  /** That say so. */
  readonly files: SeenFiles;
}

const isBranch = /^refs\/heads\/(?!.*\.\.)/;

/** Reads the commit of the default branch from the files in which git keeps refs. Starting a git process takes far longer. */
export class HeadCommits {
  readonly #known = new WeakMap<GitFolder, Known>();

  /** Undefined where only git can tell: a detached HEAD, a branch without commits, refs in tables. Throws `unavailable` where there is no repository. */
  of(folder: GitFolder): string | undefined {
    const known = this.#known.get(folder);
    if (known?.files.areSame()) return known.commit;
    folder.cacheKey();
    const { state } = folder;
    const ref = folder.headRef();
    if (ref === undefined || !isBranch.test(ref)) return undefined;
    const loose = join(folder.commonPath, ref);
    const packed = join(folder.commonPath, 'packed-refs');
    // While a ref has a file of its own the packed ones say nothing of it; where it has none they do.
    const own = new SeenFiles([join(folder.ownPath, 'HEAD'), loose]);
    const files = own.areThere ? own : new SeenFiles([join(folder.ownPath, 'HEAD'), loose, packed]);
    const commit = commitIn({ loose, packed, ref });
    // If HEAD was written after it was read, its file is too new to be trusted.
    if (files.areSettled && folder.isStill(state)) this.#known.set(folder, { commit, files });
    return commit;
  }
}

/** Git writes the packed refs before it removes the files of those refs, so who misses the one finds the other. */
function commitIn({ loose, packed, ref }: { loose: string; packed: string; ref: string }): string | undefined {
  const text = readRegular(loose, maxRefBytes);
  if (text !== undefined) return fullHash.exec(text.toString('latin1').trimEnd())?.[0];
  // A file that is not read here, behind a link, is git's to read.
  return stateOf(loose)?.isFile() ? undefined : packedHash(packed, ref);
}
