import type { Node } from 'web-tree-sitter';
import type { Reference } from '../file-symbols.ts';
import { shortType, shortValue } from './short-text.ts';

/** A stretch of the file in which a value is of one of some types. */
interface Narrowed {
  readonly value: string;
  readonly start: number;
  readonly end: number;
  readonly types: string[];
}

/** What tests tell of values: `isinstance(x, Item)` in Python, `x instanceof Item` in TypeScript. */
export class Narrowing {
  readonly #all = new Map<string, Narrowed>();

  /** Of a match with `@narrowed` (the value), `@narrowed-to` (its type) and where it is so. */
  add(tags: ReadonlyMap<string, Node>): void {
    const [value, type] = [tags.get('narrowed'), tags.get('narrowed-to')];
    const where = spanOf(tags);
    const text = value && shortValue(value);
    const typeText = type && shortType(type);
    if (text === undefined || typeText === undefined || !where) return;
    const key = `${text} ${where.start} ${where.end}`;
    const known = this.#all.get(key) ?? { value: text, ...where, types: [] };
    known.types.push(typeText);
    this.#all.set(key, known);
  }

  /** A use of a member, with the type of what stands before it where a test tells it. */
  applied(use: Reference): Reference {
    const { qualifier, at } = use;
    if (qualifier === undefined || this.#all.size === 0) return use;
    const around = [...this.#all.values()].filter(
      ({ value, start, end }) => start <= at && at < end && isBefore(value, qualifier),
    );
    const [nearest] = around.toSorted((a, b) => a.end - a.start - (b.end - b.start));
    if (!nearest) return use;
    return { ...use, qualifier: `(_ as ${typesOf(nearest)})${qualifier.slice(nearest.value.length)}` };
  }
}

/** Several are written as `(A, B)` in Python. */
const typesOf = ({ types }: Narrowed): string =>
  types.map((type) => type.replace(/^\(([^()]*?),?\)$/, '$1').replaceAll(',', '|')).join('|');

const isBefore = (value: string, qualifier: string): boolean =>
  qualifier.startsWith(value) && !/[\w$]/.test(qualifier[value.length] ?? '');

/** In a block, or behind a statement up to the end of the block around it. */
function spanOf(tags: ReadonlyMap<string, Node>): { start: number; end: number } | undefined {
  const inside = tags.get('narrowed-in');
  if (inside) return { start: inside.startIndex, end: inside.endIndex };
  const before = tags.get('narrowed-after');
  return before?.parent ? { start: before.endIndex, end: before.parent.endIndex } : undefined;
}
