import type { Reference } from '../file-symbols.ts';
import { folderOf } from '../paths.ts';
import type { SourceFile, Target } from './target.ts';

const isTest = (path: string): boolean => /(^|[/._-])(tests?|specs?|__tests__|fixtures?|mocks?)([/._-]|$)/i.test(path);
const callables = new Set(['method', 'function', 'constructor', 'macro']);

/** How likely a definition of a name is meant by the uses in a file; only the order of the numbers matters. */
export function likelihoodOf(
  { path, snapshot, symbols, language }: SourceFile,
  uses: readonly Reference[],
  imported: ReadonlySet<string>,
): (target: Target) => number {
  const wantsMember = uses.length > 0 && uses.every(({ isMember }) => isMember);
  const wantsCall = uses.length > 0 && 2 * uses.filter(({ role }) => role === 'call').length > uses.length;
  const folder = folderOf(path);
  const stems = new Set([...imported].map(stemOf));
  return ({ snapshot: there, path: other, definition }) => {
    const { isMember, container, kind } = definition;
    const isSameRepository = there.repo === snapshot.repo;
    const isImported = isSameRepository && imported.has(other);
    // Where names come by import only, one that stands alone elsewhere is not seen here, unless it is declared for all.
    const isUnseen = !isMember && language.visibility === undefined && !isImported && !other.endsWith('.d.ts');
    return (
      (isMember === wantsMember ? 16 : 0) +
      (isUnseen && wantsMember ? -8 : 0) +
      (container !== undefined && symbols.usesOf(container).length > 0 ? 8 : 0) +
      (isImported ? 6 : 0) +
      // What a header declares, the file of its name defines.
      (isSameRepository && !isImported && stems.has(stemOf(other)) ? 5 : 0) +
      (wantsCall === callables.has(kind) ? 3 : 0) +
      (isTest(other) && !isTest(path) ? -4 : 0) +
      (isTest(other) && isTest(path) && wantsMember ? -3 : 0) +
      (isSameRepository ? 2 * closeness(folder, folderOf(other)) : 0)
    );
  };
}

const stemOf = (path: string): string => path.replace(/\.[^./]*$/, '');

/** Share of the folders that two paths have in common, from 0 to 1. */
function closeness(a: string, b: string): number {
  const [left, right] = [a.split('/'), b.split('/')];
  const common = left.findIndex((part, index) => part !== right[index]);
  return (common < 0 ? left.length : common) / Math.max(left.length, right.length);
}
