import type { Tool } from '../surface/tool.ts';
import { beginningWithin, fitsSize, textSize } from '../text/text-size.ts';

type Structure = Record<string, unknown>;
type Cutting = Pick<Tool, 'cuts' | 'rest' | 'outputSchema'>;

/** The last line of an answer that was cut. `rest` says how to get what is not there. */
export const cutNote = (rest: string): string => `cut here: the answer is too long; ${rest}`;

/**
 * A structured answer as small as a text must be. Of a list it keeps the first items: flags and `notes` of the output
 * say so. Of anything else it keeps the beginning of the text, whose last line says so. An answer whose tool says
 * nothing of what may be cut stays as it is.
 */
export function shortened(structured: Structure, tool: Cutting, most: number): Structure {
  const { cuts, rest, outputSchema } = tool;
  if (cuts.of.length === 0 || fits(structured, most)) return structured;
  const flags = Object.fromEntries(cuts.flags.map((flag) => [flag, true]));
  const notes = Array.isArray(structured['notes']) ? structured['notes'] : [];
  const said = outputSchema.properties?.['notes'] && { notes: [...notes, cutNote(rest)] };
  const short: Structure = { ...structured, ...flags, ...said };
  for (const [key = '', ...inside] of cuts.of) {
    if (fits(short, most)) break;
    const room = most - sizeOf({ ...short, [key]: [] });
    const value = short[key];
    short[key] = Array.isArray(value) ? firstOf(value, inside, room) : textOf(value, room, rest);
  }
  return short;
}

/** The first items that fit. `key` names the list of an item of which a part is kept. */
function firstOf(items: readonly unknown[], [key, ...inside]: readonly string[], room: number): unknown[] {
  const kept: unknown[] = [];
  let left = room;
  for (const item of items) {
    left -= sizeOf(item) + separator;
    if (left < 0) return [...kept, ...partOf(item, { key, inside }, left + sizeOf(item))];
    kept.push(item);
  }
  return kept;
}

/** Of an item that is too large, what fits of the list in it. Empty if nothing does. */
function partOf(
  item: unknown,
  { key, inside }: { key: string | undefined; inside: readonly string[] },
  room: number,
): unknown[] {
  if (key === undefined || !isObject(item) || !Array.isArray(item[key])) return [];
  const list = firstOf(item[key], inside, room - sizeOf({ ...item, [key]: [] }));
  return list.length > 0 ? [{ ...item, [key]: list }] : [];
}

/** The beginning of a text that fits as JSON, where some characters are two or more. */
function textOf(value: unknown, room: number, rest: string): string {
  const note = `\n[${cutNote(rest)}]`;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const most = Math.max(0, room - sizeOf(note));
  let part = beginningWithin(text, most);
  while (part !== '' && !fits(part, most)) part = beginningWithin(part, Math.floor((textSize(part) * 3) / 4));
  return part + note;
}

const separator = 1;
const sizeOf = (value: unknown): number => textSize(JSON.stringify(value));
const fits = (value: unknown, most: number): boolean => fitsSize(JSON.stringify(value), most);
const isObject = (value: unknown): value is Structure => typeof value === 'object' && value !== null;
