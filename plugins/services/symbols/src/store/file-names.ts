import { PackedSymbols } from '../parse/packed-symbols.ts';
import { fnvStart, fnvWith } from './name-hashes.ts';
import { nameRoles } from './name-runs.ts';

/** Of a name, 32 bits; two names may have one. */
export function hashOf(name: string): number {
  let hash = fnvStart;
  for (let index = 0; index < name.length; index += 1) hash = fnvWith(hash, name.charCodeAt(index));
  return hash >>> 0;
}

/** Of the name of a module or package, or of a path to one. */
export const wordsOf = (module: string): readonly string[] => module.match(/[\p{L}\p{N}_$-]+/gu) ?? [];

/**
 * The names that a packed file shows to others and those that it uses, by hash, with what for. Words of the modules that it imports
 * are taken for uses: a file that imports `./button` may use what that file has no name for.
 */
export function buildDefinitionFilter(packed: Uint8Array): ReadonlyMap<number, number> {
  const names = new Map<number, number>();
  if (packed.length === 0) return names;
  const symbols = new PackedSymbols(packed);
  for (const { name, isDefined, isUsed } of symbols.roles()) {
    const roles = (isDefined ? nameRoles.definition : 0) | (isUsed ? nameRoles.use : 0);
    if (roles > 0) names.set(hashOf(name), roles);
  }
  for (const { module } of symbols.imports)
    for (const word of wordsOf(module)) {
      const hash = hashOf(word);
      names.set(hash, (names.get(hash) ?? 0) | nameRoles.use);
    }
  return names;
}
