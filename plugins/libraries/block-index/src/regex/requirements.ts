import { frequencyOf } from '../kernel/needle.ts';
import { INVALID, ranges } from './character-sets.ts';
import type { CodePoints } from './character-sets.ts';
import type { Node } from './parse.ts';
import { encode } from './program.ts';

/** The bytes that may be at one position of a match. */
export type ByteSet = ReadonlySet<number>;

/** What every match contains: a run of adjacent byte sets, all of some requirements, or any of them. Undefined if nothing is known. */
export type Requirement =
  | { readonly run: readonly ByteSet[] }
  | { readonly all: readonly Requirement[] }
  | { readonly any: readonly Requirement[] }
  | undefined;

const MAX_COPIES = 8;
const MAX_ALTERNATIVES = 8;
const MAX_MEMBERS = 4;
const MAX_RUN = 256;

/** What every match of an expression contains. The result may require too little, never too much. */
export function requirement(node: Node): Requirement {
  const collector = new Collector();
  collector.visit(node);
  return collector.finish();
}

/** Walks a syntax tree and collects runs. Small alternatives multiply the current runs: (a|b)c gives ac and bc. */
class Collector {
  readonly #parts: Requirement[] = [];
  #runs: ByteSet[][] = [[]];

  visit(node: Node): void {
    const places = placesOf(node);
    if (places) return this.#extend(places);
    switch (node.kind) {
      case 'concat':
        return node.parts.forEach((part) => this.visit(part));
      case 'alternate':
        return this.#alternate(node.parts);
      case 'repeat':
        return this.#repeat(node);
      default:
        return this.#cut();
    }
  }

  finish(): Requirement {
    this.#cut();
    const [first] = this.#parts;
    return this.#parts.length > 1 ? { all: this.#parts } : first;
  }

  #extend(places: readonly ByteSet[]): void {
    for (const run of this.#runs) run.push(...places);
    if ((this.#runs[0]?.length ?? 0) > MAX_RUN) this.#cut();
  }

  #cut(): void {
    const runs = this.#runs.filter((run) => run.length > 0).map((run) => ({ run }));
    if (runs.length === this.#runs.length) this.#parts.push(...(runs.length === 1 ? runs : [{ any: runs }]));
    this.#runs = [[]];
  }

  #alternate(parts: readonly Node[]): void {
    const choices = parts.map(placesOf);
    if (choices.every((choice) => choice !== undefined) && choices.length * this.#runs.length <= MAX_ALTERNATIVES) {
      this.#runs = this.#runs.flatMap((run) => choices.map((choice) => [...run, ...choice]));
      return;
    }
    this.#cut();
    const needs = parts.map(requirement);
    if (needs.every((need) => need !== undefined)) this.#parts.push({ any: needs });
  }

  #repeat({ body, min, max }: Extract<Node, { kind: 'repeat' }>): void {
    if (min === 0) return this.#cut();
    const places = placesOf(body);
    if (!places) {
      this.#cut();
      this.visit(body);
      return this.#cut();
    }
    const copies = Array.from({ length: Math.min(min, MAX_COPIES) }, () => places).flat();
    this.#extend(copies);
    if (max === min && min <= MAX_COPIES) return;
    this.#cut();
    this.#extend(copies); // the last repetitions are adjacent to what follows
  }
}

/** The node as a sequence of byte sets, if it has a fixed length. */
function placesOf(node: Node): ByteSet[] | undefined {
  switch (node.kind) {
    case 'empty':
    case 'assertion':
      return [];
    case 'set':
      return placesOfSet(node.set);
    case 'concat': {
      const places = node.parts.map(placesOf);
      return places.every((place) => place !== undefined) ? places.flat() : undefined;
    }
    case 'repeat': {
      const places = node.min === node.max && node.min <= MAX_COPIES ? placesOf(node.body) : undefined;
      return places && Array.from({ length: node.min }, () => places).flat();
    }
    case 'alternate':
      return undefined;
  }
}

/** ASCII members are one byte. A few other members of the same length in UTF-8 are one byte set for each of their bytes. */
function placesOfSet(set: CodePoints): ByteSet[] | undefined {
  const last = set.at(-1);
  if (last === undefined || last === INVALID) return undefined;
  const count = ranges(set).reduce((sum, [from, to]) => sum + to - from + 1, 0);
  if (last >= 128 && count > MAX_MEMBERS) return undefined;
  const members = ranges(set).flatMap(([from, to]) =>
    Array.from({ length: to - from + 1 }, (_, i) => encode(from + i)),
  );
  const length = members[0]?.length ?? 0;
  if (members.some((bytes) => bytes.length !== length)) return undefined;
  return Array.from({ length }, (_, i) => new Set(members.flatMap((bytes) => bytes[i] ?? [])));
}

/** How the kernel finds lines that may match: by a few literals, or by three adjacent byte sets. Undefined: every line may match. */
export type Prefilter =
  | { readonly literals: readonly PrefilterLiteral[] }
  | { readonly window: readonly ByteSet[] }
  | undefined;

interface PrefilterLiteral {
  readonly bytes: Uint8Array;
  /** Whether ASCII letters match in both cases. */
  readonly foldCase: boolean;
}

/** How often a prefilter proposes a line. */
interface Frequency {
  readonly frequency: number;
}
type Literals = Extract<Prefilter, { literals: unknown }> & Frequency;
type Window = Extract<Prefilter, { window: unknown }> & Frequency;

const MAX_LITERALS = 8;
const MIN_LITERAL = 2;
/** Literals rarer than this are better than any window. */
const RARE = 1e-3;
/** A window more frequent than this proposes nearly every line. */
const USEFUL = 0.02;

/** The cheapest prefilter for a requirement. */
export function prefilterOf(need: Requirement): Prefilter {
  const best = literalsOf(need);
  const literals = best && best.literals.length <= MAX_LITERALS ? best : undefined;
  if (literals && literals.frequency < RARE) return { literals: literals.literals };
  const window = windowOf(need);
  if (window && window.frequency < USEFUL && (!literals || window.frequency < literals.frequency))
    return { window: window.window };
  return literals && { literals: literals.literals };
}

function rarest<T extends Frequency>(choices: readonly (T | undefined)[]): T | undefined {
  return choices.filter((choice) => choice !== undefined).sort((a, b) => a.frequency - b.frequency)[0];
}

function literalsOf(need: Requirement): Literals | undefined {
  if (!need) return undefined;
  if ('all' in need) return rarest(need.all.map(literalsOf));
  if ('run' in need) return rarest(literalsIn(need.run));
  const parts = need.any.map(literalsOf);
  if (!parts.every((part) => part !== undefined)) return undefined;
  return {
    literals: parts.flatMap(({ literals }) => literals),
    frequency: parts.reduce((sum, { frequency }) => sum + frequency, 0),
  };
}

/** The longest literals in a run. */
function literalsIn(run: readonly ByteSet[]): Literals[] {
  const found: Literals[] = [];
  for (let from = 0; from < run.length; ) {
    const foldCase = isLetterInBothCases(run, from);
    let to = from;
    let frequency = 1;
    for (let place = run[to]; place && (place.size === 1 || isBothCases(place)); place = run[++to])
      frequency *= Math.sqrt(frequencyOf(place)); // adjacent bytes are not independent
    if (to - from >= MIN_LITERAL) found.push({ literals: [literal(run.slice(from, to), foldCase)], frequency });
    from = to + 1;
  }
  return found;
}

/** Whether a letter of the literal matches in both cases. Then all its letters do, as a literal folds case or does not. */
function isLetterInBothCases(run: readonly ByteSet[], from: number): boolean {
  for (let i = from; i < run.length; i++) {
    const place = run[i];
    if (!place || (place.size > 1 && !isBothCases(place))) return false;
    if (place.size > 1) return true;
  }
  return false;
}

function literal(run: readonly ByteSet[], foldCase: boolean): PrefilterLiteral {
  return { bytes: Uint8Array.from(run, (place) => Math.max(...place)), foldCase };
}

function isBothCases(place: ByteSet): boolean {
  const [a = 0, b = 0] = [...place].sort((x, y) => x - y);
  return place.size === 2 && a >= 65 && a <= 90 && b === a + 32;
}

function windowOf(need: Requirement): Window | undefined {
  if (!need || 'any' in need) return undefined;
  if ('all' in need) return rarest(need.all.map(windowOf));
  const windows: Window[] = [];
  for (let i = 0; i + 3 <= need.run.length; i++) {
    const window = need.run.slice(i, i + 3);
    windows.push({ window, frequency: window.reduce((product, place) => product * frequencyOf(place), 1) });
  }
  return rarest(windows);
}

/** The tables of three byte sets for `findWindow` in assembly/text.ts. */
export function windowTables(window: readonly ByteSet[]): Uint8Array {
  const tables = new Uint8Array(WINDOW_BYTES);
  window.forEach((place, i) => tables.set(nibbleTables(place), 32 * i));
  return tables;
}

/** Three sets of two tables. */
const WINDOW_BYTES = 96;

/** The two nibble tables of a byte set. With more than eight different rows they accept some other bytes, too. */
function nibbleTables(set: ByteSet): Uint8Array {
  const tables = new Uint8Array(32);
  const bitOfRow = new Map<number, number>();
  for (let high = 0; high < 16; high++) {
    let row = 0;
    for (let low = 0; low < 16; low++) if (set.has(high * 16 + low)) row |= 1 << low;
    if (row === 0) continue;
    const bit = bitOfRow.get(row) ?? Math.min(bitOfRow.size, 7);
    bitOfRow.set(row, bit);
    tables[16 + high] = 1 << bit;
    for (let low = 0; low < 16; low++) if ((row >> low) & 1) tables[low] = (tables[low] ?? 0) | (1 << bit);
  }
  return tables;
}
