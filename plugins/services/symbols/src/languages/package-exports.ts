import { posix } from 'node:path';
import { joinPath } from '../paths.ts';
import { isRecord } from './node-packages.ts';
import type { NodePackage } from './node-packages.ts';

/** Conditions nest; more of them than anybody writes. */
const deepest = 8;
/** Folders of what is built, and those of what it is built from. */
const built = /^(dist|lib|build|out|es|esm|cjs|types)\//;
const sources = ['src/', ''];

/**
 * The files that a subpath of a package (`.`, `./text`) or one of its own names (`#text`) stands for, by `exports` and `imports` of
 * its package.json (https://nodejs.org/api/packages.html), those of sources first; no extension is added.
 */
export function filesNamed({ folder, exports, imports, main }: NodePackage, name: string): string[] {
  const table = name.startsWith('#') ? imports : exports;
  const targets = targetsOf(table, name);
  const files = targets.length > 0 || name !== '.' ? targets : main;
  const inside = files.filter((file) => !file.startsWith('#') && !/(^|\/)\.\.\//.test(file));
  return [...new Set(inside.flatMap(withSources))].map((file) => posix.normalize(joinPath(folder, file)));
}

/** What was built is not in the repository: its source often is, under the same name. */
function withSources(file: string): string[] {
  const bare = file.replace(/^\.\//, '');
  const source = bare.replace(built, '');
  return source === bare ? [bare] : [...sources.map((from) => `${from}${source}`), bare];
}

function targetsOf(table: unknown, name: string): string[] {
  if (!isRecord(table) || !Object.keys(table).some((key) => /^[.#]/.test(key)))
    return name === '.' ? filesOf(table, deepest) : [];
  if (name in table) return filesOf(table[name], deepest);
  for (const [pattern, target] of patternsOf(table)) {
    const [before = '', after = ''] = pattern.split('*');
    const isMatch = name.startsWith(before) && name.endsWith(after) && name.length > before.length + after.length - 1;
    const rest = name.slice(before.length, name.length - after.length);
    if (isMatch) return filesOf(target, deepest).map((file) => file.replaceAll('*', () => rest));
  }
  return [];
}

/** The longest pattern decides. */
const patternsOf = (table: Readonly<Record<string, unknown>>): [string, unknown][] =>
  Object.entries(table)
    .filter(([key]) => key.includes('*'))
    .toSorted(([a], [b]) => b.indexOf('*') - a.indexOf('*'));

/** Files under any condition. A condition that only this repository knows most often names the sources. */
function filesOf(target: unknown, depth: number): string[] {
  if (typeof target === 'string') return [target];
  if (depth === 0) return [];
  if (Array.isArray(target)) return target.flatMap((one) => filesOf(one, depth - 1));
  if (!isRecord(target)) return [];
  const conditions = Object.entries(target).toSorted(([a], [b]) => Number(/source/.test(b)) - Number(/source/.test(a)));
  return conditions.flatMap(([, one]) => filesOf(one, depth - 1));
}
