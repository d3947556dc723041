import { callableKinds } from '@sextant/contracts/definition-kinds';
import { namesParameter } from '../parse/file-symbols.ts';
import type { Definition, Reference } from '../parse/file-symbols.ts';
import { folderOf, isTestPath } from '../paths.ts';
import type { SourceFile, Target } from '../snapshot/source-file.ts';

/** Uses of a name in a file that mean the same, judged by the file alone. */
export interface Sense {
  /** `local`: defined in a function; `alone`: any other name without a qualifier; `member`: behind a qualifier. */
  readonly kind: 'local' | 'alone' | 'member';
  readonly uses: readonly Reference[];
  /** For a local name, the nearest definition around the uses. */
  readonly definition?: Definition;
}

/** The senses of a name in a file, or in one line of it. The most used comes first. */
export function sensesOf({ symbols }: SourceFile, name: string, line?: number): Sense[] {
  const uses = symbols.usesOf(name).filter((use) => line === undefined || use.line === line);
  const locals = symbols.definitionsOf(name).filter(({ scope }) => scope);
  const [named, others] = [uses.filter(namesParameter), uses.filter((use) => !namesParameter(use))];
  const groups = Map.groupBy(others, (use) => (use.isMember ? 'member' : (nearest(locals, use.at) ?? 'alone')));
  const senses = [...groups].map(([key, group]): Sense => {
    if (key === 'member' || key === 'alone') return { kind: key, uses: group };
    return { kind: 'local', uses: group, definition: key };
  });
  const sorted = senses.toSorted((a, b) => b.uses.length - a.uses.length);
  // Names of arguments come last: a caller rarely means a parameter.
  return named.length > 0 ? [...sorted, { kind: 'member', uses: named }] : sorted;
}

const sizeOf = ({ scope: [start, end] = [0, Infinity] }: Definition): number => end - start;

/** The definition in the smallest scope around a place. Of several in that scope it is the last before the place. */
export function nearest(locals: readonly Definition[], at: number): Definition | undefined {
  const around = locals.filter(({ scope }) => scope !== undefined && scope[0] <= at && at < scope[1]);
  const smallest = Math.min(...around.map(sizeOf));
  const candidates = around.filter((one) => sizeOf(one) === smallest);
  return candidates.findLast((one) => one.at <= at) ?? candidates[0];
}

/** Scores how likely the uses in a file mean a definition. Only the order of scores matters. */
export function likelihoodOf(
  { path, snapshot, symbols, language }: SourceFile,
  uses: readonly Reference[],
  imported: ReadonlySet<string>,
): (target: Target) => number {
  const wantsMember = uses.length > 0 && uses.every(({ isMember }) => isMember);
  const wantsCall = uses.length > 0 && 2 * uses.filter(({ role }) => role === 'call').length > uses.length;
  const isTest = isTestPath(path);
  const folder = folderOf(path);
  const stems = new Set([...imported].map(stemOf));
  return ({ snapshot: there, path: other, definition }) => {
    const { isMember, container, kind } = definition;
    const isSameRepository = there.repo === snapshot.repo;
    const isImported = isSameRepository && imported.has(other);
    // In a language with imports only, a top-level name of another file is invisible unless imported or declared globally.
    const isUnseen = !isMember && language.visibility === undefined && !isImported && !other.endsWith('.d.ts');
    return (
      (isMember === wantsMember ? 16 : 0) +
      (isUnseen && wantsMember ? -8 : 0) +
      (container !== undefined && symbols.usesOf(container).length > 0 ? 8 : 0) +
      (isImported ? 6 : 0) +
      // What a header declares, the file of its name defines.
      (isSameRepository && !isImported && stems.has(stemOf(other)) ? 5 : 0) +
      (wantsCall === callableKinds.has(kind) ? 3 : 0) +
      (isTestPath(other) && !isTest ? -4 : 0) +
      (isTestPath(other) && isTest && wantsMember ? -3 : 0) +
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
