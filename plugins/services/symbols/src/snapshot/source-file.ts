import type { Language } from '@sextant/contracts';
import type { Definition, FileSymbols } from '../parse/file-symbols.ts';
import type { Snapshot } from './snapshot.ts';

/** A file of a commit. */
export interface CommitFile {
  readonly snapshot: Snapshot;
  readonly path: string;
}

/** A file whose names are looked up. */
export interface SourceFile extends CommitFile {
  readonly language: Language;
  readonly symbols: FileSymbols;
}

/** A definition with where it is. */
export interface Target extends CommitFile {
  readonly definition: Definition;
}

/** A test of definitions. */
export type IsWanted = (definition: Definition) => boolean;

export const fileKey = ({ snapshot, path }: CommitFile): string => `${snapshot.repo}\0${snapshot.commit}\0${path}`;

export const keyOf = (target: Target): string => `${fileKey(target)}\0${target.definition.at}`;

/** Whether a definition is no member, and visible in the whole file. */
export const isTopLevel: IsWanted = ({ isMember, scope, kind }) =>
  !isMember && scope === undefined && kind !== 'package';

/** Whether a definition is visible outside of a function. */
export const isShared: IsWanted = ({ scope }) => scope === undefined;

/** Whether the line of a use lies inside of a definition. */
export const isIn = ({ line }: { readonly line: number }, { startLine, endLine }: Definition): boolean =>
  startLine <= line && line <= endLine;

export const targetOf = ({ snapshot, path }: CommitFile, definition: Definition): Target => ({
  snapshot,
  path,
  definition,
});

/** A file as the definition of the module that it is. */
export const moduleTarget = (file: CommitFile, name: string): Target =>
  targetOf(file, { name, kind: 'module', isMember: false, line: 1, column: 0, at: 0, startLine: 1, endLine: 1 });

/** The definitions of a name in a file that pass a test. */
export const targetsIn = (file: SourceFile, name: string, isWanted: IsWanted = () => true): Target[] =>
  file.symbols
    .definitionsOf(name)
    .filter(isWanted)
    .map((definition) => targetOf(file, definition));

/** The definitions of a name in some files that pass a test. */
export async function definedIn(files: readonly CommitFile[], name: string, isWanted: IsWanted): Promise<Target[]> {
  const all = await Promise.all(files.map(({ snapshot, path }) => snapshot.file(path)));
  return all.flatMap((file) => (file ? targetsIn(file, name, isWanted) : []));
}
