import type { Definition } from '../file-symbols.ts';

/** Values of one name that are told from each other. */
const maxValues = 4;

/**
 * Names that get a value are defined by the first of all in one scope, or one type; the others use it, and its type is that of
 * any of their values. Definitions come in the order of the file; `assigned` has where such a name stands, and where the type
 * around it begins.
 */
export function withoutRepeated(
  definitions: readonly Definition[],
  assigned: ReadonlyMap<number, number | undefined>,
): Definition[] {
  if (assigned.size === 0) return [...definitions];
  const groups = new Map<string, Definition[]>();
  for (const one of definitions) {
    const place = one.isMember ? assigned.get(one.at) : one.scope?.join(' ');
    const key = `${one.name} ${one.isMember} ${place}`;
    const group = groups.get(key);
    if (group && assigned.has(one.at)) group.push(one);
    else groups.set(group ? `${key} ${one.at}` : key, [one]);
  }
  return [...groups.values()].flatMap(([first, ...others]) => (first ? [{ ...first, ...typeOf(first, others) }] : []));
}

/** A type that is written counts alone. */
function typeOf({ type }: Definition, others: readonly Definition[]): Pick<Definition, 'type'> {
  const all = [type, ...others.map((one) => one.type)].filter((text) => text !== undefined);
  const written = all.find((text) => !text.startsWith('='));
  if (written !== undefined) return { type: written };
  const values = [...new Set(all)].slice(0, maxValues).map((text) => text.slice(1));
  if (values.length < 2) return values[0] === undefined ? {} : { type: `=${values[0]}` };
  return { type: `=${values.map((value) => `(${value})`).join('||')}` };
}
