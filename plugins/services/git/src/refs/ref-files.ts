import { opendirSync } from 'node:fs';
import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import type { GitFolder } from '../storage/git-folder.ts';
import { readRegular } from '../storage/regular-file.ts';

/** More than the file of a ref has. */
export const maxRefBytes = 4096;

/** What HEAD says where refs are kept in tables: nothing, for programs that know only files. */
const headOfTables = 'refs/heads/.invalid';

/** The files that decide what some refs are. HEAD is among them: it is rewritten when refs move to tables or back. */
export function filesOfRefs(folder: GitFolder, refs: readonly string[]): string[] {
  const { ownPath, commonPath } = folder;
  const folders = ownPath === commonPath ? [ownPath] : [ownPath, commonPath];
  const tables = folder.headRef() === headOfTables ? folders.map((each) => join(each, 'reftable', 'tables.list')) : [];
  const loose = refs.flatMap((ref) => folders.map((each) => join(each, ref)));
  return [join(ownPath, 'HEAD'), join(commonPath, 'packed-refs'), ...loose, ...tables];
}

/** Whether a ref's own file says that it is another name for a ref; such refs are too rare to remember. */
export function isSymbolic({ commonPath }: GitFolder, ref: string): boolean {
  return readRegular(join(commonPath, ref), maxRefBytes)?.toString('latin1').startsWith('ref:') ?? false;
}

/** Most files that are worth a `stat` each to know that no ref has changed. */
const maxLooseFiles = 4000;

const branchesAndTags = ['refs/heads', 'refs/tags'];

/** Every file and folder that a new, moved or removed ref below some folders would touch; undefined when there are too many. */
export function filesOfAllRefs(folder: GitFolder, under: readonly string[] = branchesAndTags): string[] | undefined {
  const found = filesOfRefs(folder, []);
  const pending = under.map((name) => join(folder.commonPath, name));
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    found.push(path);
    for (const entry of entriesOf(path)) {
      if (found.length + pending.length > maxLooseFiles) return undefined;
      const child = join(path, entry.name);
      if (entry.isDirectory()) pending.push(child);
      else found.push(child);
    }
  }
  return found;
}

/** One after the other: a folder may hold more than is worth to be read. */
function* entriesOf(path: string): Generator<Dirent, void, void> {
  let folder;
  try {
    folder = opendirSync(path);
  } catch {
    // Removed meanwhile, or never there: its `stat` will say so.
    return;
  }
  try {
    for (let entry = folder.readSync(); entry; entry = folder.readSync()) yield entry;
  } finally {
    folder.closeSync();
  }
}
