import { namesParameter } from '../file-symbols.ts';
import type { Definition, Reference } from '../file-symbols.ts';
import type { SourceFile } from './target.ts';

/** Uses of a name in a file that mean the same, as far as the file alone can tell. */
export interface Meaning {
  /** `local`: a name of a function; `alone`: no local one; `member`: behind something. */
  readonly kind: 'local' | 'alone' | 'member';
  readonly uses: readonly Reference[];
  /** Of a local name, the definition nearest around the uses. */
  readonly definition?: Definition;
}

/** What a name in a file (in one line of it) stands for, the most used first. */
export function meaningsOf({ symbols }: SourceFile, name: string, line?: number): Meaning[] {
  const uses = symbols.usesOf(name).filter((use) => line === undefined || use.line === line);
  const locals = symbols.definitionsOf(name).filter(({ scope }) => scope);
  const [named, others] = [uses.filter(namesParameter), uses.filter((use) => !namesParameter(use))];
  const groups = Map.groupBy(others, (use) => (use.isMember ? 'member' : (nearest(locals, use.at) ?? 'alone')));
  const meanings = [...groups].map(([key, group]): Meaning => {
    if (key === 'member' || key === 'alone') return { kind: key, uses: group };
    return { kind: 'local', uses: group, definition: key };
  });
  const sorted = meanings.toSorted((a, b) => b.uses.length - a.uses.length);
  // Whoever asks for a name means what has it rather than the parameter that an argument names so.
  return named.length > 0 ? [...sorted, { kind: 'member', uses: named }] : sorted;
}

const sizeOf = ({ scope: [start, end] = [0, Infinity] }: Definition): number => end - start;

/** Of definitions of one name that in the smallest scope around a place; of several there the last before it. */
export function nearest(locals: readonly Definition[], at: number): Definition | undefined {
  const around = locals.filter(({ scope }) => scope !== undefined && scope[0] <= at && at < scope[1]);
  const smallest = Math.min(...around.map(sizeOf));
  const candidates = around.filter((one) => sizeOf(one) === smallest);
  return candidates.findLast((one) => one.at <= at) ?? candidates[0];
}
