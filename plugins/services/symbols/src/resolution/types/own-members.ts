import type { Definition, FileSymbols } from '../../file-symbols.ts';
import { nearest } from '../meanings.ts';
import { isIn, isTopLevel } from '../target.ts';

export const typeKinds = new Set([
  'class',
  'interface',
  'type',
  'enum',
  'struct',
  'trait',
  'module',
  'namespace',
  'package',
]);

/** The members of one name that a file has of a type in it. */
export function membersIn(symbols: FileSymbols, type: Definition, name: string): Definition[] {
  const others = symbols.definitionsOf(type.name).filter((one) => one.at !== type.at);
  const isInside = (one: Definition): boolean =>
    one.container === type.name &&
    (one.isMember || isTopLevel(one)) &&
    one.kind !== 'key' &&
    (isIn(one, type) || !others.some((other) => isIn(one, other)));
  return symbols.definitionsOf(name).filter(isInside);
}

/** The parameter of one name that a function has, whose own name stands at a place. */
export function parametersIn(symbols: FileSymbols, at: number, name: string): Definition[] {
  const parameters = symbols.definitionsOf(name).filter((one) => one.kind === 'parameter' && one.at > at);
  const own = nearest(parameters, at);
  return own ? [own] : [];
}

/** What stands around a line: the nearest type, and to which type a member belongs whose type stands elsewhere. */
export interface Around {
  readonly type: Definition | undefined;
  readonly container: string | undefined;
}

const known = new WeakMap<FileSymbols, Map<number, Around>>();

/** The same is asked for every value of a function. */
export function aroundLine(symbols: FileSymbols, line: number): Around {
  const lines = known.get(symbols) ?? new Map<number, Around>();
  known.set(symbols, lines);
  const found = lines.get(line) ?? findAround(symbols, line);
  lines.set(line, found);
  return found;
}

function findAround(symbols: FileSymbols, line: number): Around {
  const around = symbols.definitions.filter((one) => isIn({ line }, one)).toSorted(bySize);
  return {
    type: around.find(({ kind }) => typeKinds.has(kind)),
    container: around.find((one) => one.container !== undefined && !one.scope)?.container,
  };
}

const bySize = (a: Definition, b: Definition): number => a.endLine - a.startLine - (b.endLine - b.startLine);
