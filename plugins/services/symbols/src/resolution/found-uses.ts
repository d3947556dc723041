import type { Candidate } from '../candidates.ts';
import { isShadowed } from '../file-symbols.ts';
import type { Import, Reference } from '../file-symbols.ts';
import { moduleName } from './aliases.ts';
import { nearest } from './meanings.ts';
import type { SourceFile, Target } from './target.ts';

/** The uses in one file. */
export interface FoundUses {
  readonly file: SourceFile;
  readonly uses: readonly Reference[];
}

export const fileKey = ({ snapshot, path }: Candidate): string => `${snapshot.repo}\0${snapshot.commit}\0${path}`;

/** Uses of a local name, where it is visible. */
export function ownUses({ symbols }: SourceFile, { definition }: Target): Reference[] {
  const all = symbols.definitionsOf(definition.name);
  const uses = symbols.usesOf(definition.name).filter(({ isMember }) => !isMember);
  return uses.filter(({ at }) => nearest(all, at)?.at === definition.at);
}

/** Uses under one of the names, or under the one that the file gives to it. */
export function usesUnder({ symbols }: SourceFile, names: ReadonlySet<string>): Reference[] {
  const here = new Set(names);
  const isNamed = ({ kind, module, imported }: Import): boolean =>
    kind === 'module' ? names.has('default') && names.has(moduleName(module)) : kind === 'name' && names.has(imported);
  for (const one of symbols.imports) if (isNamed(one)) here.add(one.local);
  const uses = [...here].flatMap((name) => symbols.usesOf(name).filter((use) => !isShadowed(symbols, use)));
  return uses.toSorted((a, b) => a.at - b.at);
}

/** What was found in several ways: of each file once, that of the definition first, then those of its repository. */
export function merged(all: readonly FoundUses[], { snapshot, path }: Candidate): FoundUses[] {
  const files = Map.groupBy(all, ({ file }) => fileKey(file));
  const found = [...files.values()].flatMap((same) => {
    const uses = new Map(same.flatMap((one) => one.uses.map((use) => [use.at, use])));
    const [first] = same;
    return first && uses.size > 0 ? [{ ...first, uses: [...uses.values()].toSorted((a, b) => a.at - b.at) }] : [];
  });
  const rank = ({ file }: FoundUses): number =>
    file.snapshot.repo !== snapshot.repo ? 2 : fileKey(file) === fileKey({ snapshot, path }) ? 0 : 1;
  return found.toSorted((a, b) => rank(a) - rank(b));
}
