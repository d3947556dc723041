import type { Definition, Reference } from '../file-symbols.ts';
import { isIn, targetOf } from './target.ts';
import type { SourceFile, Target } from './target.ts';

/** A way to find what a name means, nothing where it does not tell. */
export type Step = (file: SourceFile, name: string, uses: readonly Reference[]) => Promise<Target[]> | Target[];

export const targetsOf = (file: SourceFile, definitions: readonly Definition[]): Target[] =>
  definitions.map((definition) => targetOf(file, definition));

/** Members of the types of a file. Those of types that only describe a shape are as likely met elsewhere. */
export const membersOf: Step = (file, name) => {
  const { symbols } = file;
  const isOfType = ({ container = '' }: Definition): boolean =>
    file.language.visibility !== undefined ||
    symbols.definitionsOf(container).some(({ kind, scope }) => kind !== 'type' && !scope);
  return targetsOf(
    file,
    symbols
      .definitionsOf(name)
      .filter((definition) => definition.isMember && definition.kind !== 'key' && isOfType(definition)),
  );
};

/** Members of the types that the uses stand in, which many languages name alone. */
export const membersAround: Step = (file, name, uses) => {
  if (file.language.visibility === undefined) return [];
  const { symbols } = file;
  const isAround = (container: string): boolean =>
    symbols.definitionsOf(container).some((type) => uses.some((use) => isIn(use, type)));
  const members = symbols.definitionsOf(name).filter(({ isMember }) => isMember);
  return targetsOf(
    file,
    members.filter(({ container }) => container !== undefined && isAround(container)),
  );
};
