import type { Definition, FileSymbols } from '../../file-symbols.ts';
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

export const bySize = (a: Definition, b: Definition): number => a.endLine - a.startLine - (b.endLine - b.startLine);
