import type { Reference } from '../file-symbols.ts';
import type { DefinitionFinder } from './definitions.ts';
import type { ImportResolver } from './imports.ts';
import type { SourceFile, Target } from './target.ts';

export interface KnowingParts {
  readonly definitions: DefinitionFinder;
  readonly imports: ImportResolver;
}

/** A use that may mean a member. */
export interface MemberUse {
  readonly file: SourceFile;
  readonly use: Reference;
  readonly target: Target;
  /** Whether other files of the repository define the name, too. */
  hasRival(): Promise<boolean>;
}

/** Whether a file names the type of a member, or imports the file that has it. */
export async function knowsTheType(
  { definitions, imports }: KnowingParts,
  { file, use, target, hasRival }: MemberUse,
): Promise<boolean> {
  const { container = '' } = target.definition;
  const { visibility } = file.language;
  const isHere = file.snapshot.repo === target.snapshot.repo;
  const isKey = use.qualifier === undefined;
  const isNamed = file.symbols.usesOf(container).length > 0;
  const imported = async (): Promise<boolean> => (await imports.allFilesOf(file)).has(target.path);
  // Where a package is a folder its names are seen there, and where it is imported.
  if (isHere && visibility === 'folder') return (isNamed || !isKey) && imported();
  if (isNamed) return isHere || isOrUnknown({ definitions, imports }, { file, name: container, target });
  if (!isHere || isKey) return false;
  // What types cannot tell (a macro, a type that stands for another) is told by a name that nothing else has.
  return (visibility === 'everywhere' && !(await hasRival())) || imported();
}

/** Whether a name in a file of another repository means one in the file of a definition, or nobody can tell. */
async function isOrUnknown(
  { definitions, imports }: KnowingParts,
  { file, name, target }: { file: SourceFile; name: string; target: Target },
): Promise<boolean> {
  const near = await definitions.findNear(file, name);
  const found = near.length > 0 ? near : await imports.wholeNameOf(file, name);
  const { snapshot, path } = target;
  return found.length === 0 || found.some((one) => one.snapshot.repo === snapshot.repo && one.path === path);
}
