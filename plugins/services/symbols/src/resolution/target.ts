import type { Language } from '@sextant/contracts';
import type { Candidate } from '../candidates/candidates.ts';
import type { Definition, FileSymbols } from '../parse/file-symbols.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

/** A file whose names are looked up. */
export interface SourceFile {
  readonly snapshot: Snapshot;
  readonly path: string;
  readonly language: Language;
  readonly symbols: FileSymbols;
}

/** A definition with where it is. */
export interface Target {
  readonly snapshot: Snapshot;
  readonly path: string;
  readonly definition: Definition;
}

export const keyOf = ({ snapshot, path, definition }: Target): string =>
  `${snapshot.repo}\0${snapshot.commit}\0${path}\0${definition.at}`;

/** Whether a definition is no member, and visible in the whole file. */
export const isTopLevel = ({ isMember, scope, kind }: Definition): boolean =>
  !isMember && scope === undefined && kind !== 'package';

/** Whether the line of a use lies inside of a definition. */
export const isIn = ({ line }: { readonly line: number }, { startLine, endLine }: Definition): boolean =>
  startLine <= line && line <= endLine;

/** A file as the definition of the module that it is. */
export const moduleTarget = (snapshot: Snapshot, path: string, name: string): Target => ({
  snapshot,
  path,
  definition: { name, kind: 'module', isMember: false, line: 1, column: 0, at: 0, startLine: 1, endLine: 1 },
});

export const targetOf = (
  { snapshot, path }: Omit<SourceFile, 'symbols' | 'language'>,
  definition: Definition,
): Target => ({
  snapshot,
  path,
  definition,
});

/** The top-level definitions of a name in some files. */
export const topLevelIn = (files: readonly Candidate[], name: string): Promise<Target[]> =>
  definedIn(files, name, isTopLevel);

/** The definitions of a name in some files that pass a test. */
export async function definedIn(
  files: readonly Candidate[],
  name: string,
  isWanted: (definition: Definition) => boolean,
): Promise<Target[]> {
  const found = await Promise.all(
    files.map(async (file) => {
      const definitions = (await file.snapshot.symbols(file.path))?.definitionsOf(name) ?? [];
      return definitions.filter(isWanted).map((definition) => targetOf(file, definition));
    }),
  );
  return found.flat();
}

/** The file of a definition; undefined where its syntax is not known. */
export async function fileOf({ snapshot, path }: Omit<Target, 'definition'>): Promise<SourceFile | undefined> {
  const symbols = await snapshot.symbols(path);
  const language = snapshot.languages.of(path);
  return symbols && language && { snapshot, path, language, symbols };
}
