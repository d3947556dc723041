import { frequencyOf } from '../kernel/needle.ts';
import { INVALID, pairs } from './character-sets.ts';
import type { CodePoints } from './character-sets.ts';
import type { Node } from './parse.ts';
import { encode } from './program.ts';

/** The bytes that one place of a match may hold. */
export type ByteSet = ReadonlySet<number>;

/** What every match contains: adjacent bytes, all of some requirements, or one of them. Undefined: nothing is known. */
export type Requirement =
  | { readonly run: readonly ByteSet[] }
  | { readonly all: readonly Requirement[] }
  | { readonly any: readonly Requirement[] }
  | undefined;

const MOST_COPIES = 8;
const MOST_ALTERNATIVES = 8;
const MOST_MEMBERS = 4;
const LONGEST_RUN = 256;

/** What every match of an expression contains. It may say too little, never too much. */
export function requirement(node: Node): Requirement {
  const collector = new Collector();
  collector.visit(node);
  return collector.finish();
}

/** Follows a sequence and collects runs; small alternatives multiply the run that is being built: (a|b)c makes ac and bc. */
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
    if ((this.#runs[0]?.length ?? 0) > LONGEST_RUN) this.#cut();
  }

  #cut(): void {
    const runs = this.#runs.filter((run) => run.length > 0).map((run) => ({ run }));
    if (runs.length === this.#runs.length) this.#parts.push(...(runs.length === 1 ? runs : [{ any: runs }]));
    this.#runs = [[]];
  }

  #alternate(parts: readonly Node[]): void {
    const choices = parts.map(placesOf);
    if (choices.every((choice) => choice !== undefined) && choices.length * this.#runs.length <= MOST_ALTERNATIVES) {
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
    const copies = Array.from({ length: Math.min(min, MOST_COPIES) }, () => places).flat();
    this.#extend(copies);
    if (max === min && min <= MOST_COPIES) return;
    this.#cut();
    this.#extend(copies); // the last repetitions stand before what follows
  }
}

/** The node as a sequence of single bytes, if it is one. */
function placesOf(node: Node): ByteSet[] | undefined {
  switch (node.kind) {
    case 'empty':
    case 'border':
      return [];
    case 'set':
      return placesOfSet(node.set);
    case 'concat': {
      const places = node.parts.map(placesOf);
      return places.every((place) => place !== undefined) ? places.flat() : undefined;
    }
    case 'repeat': {
      const places = node.min === node.max && node.min <= MOST_COPIES ? placesOf(node.body) : undefined;
      return places && Array.from({ length: node.min }, () => places).flat();
    }
    case 'alternate':
      return undefined;
  }
}

/** ASCII members are one byte; a few others of the same length are a byte set for each of their bytes. */
function placesOfSet(set: CodePoints): ByteSet[] | undefined {
  const last = set.at(-1);
  if (last === undefined || last === INVALID) return undefined;
  const count = pairs(set).reduce((sum, [from, to]) => sum + to - from + 1, 0);
  if (last >= 128 && count > MOST_MEMBERS) return undefined;
  const members = pairs(set).flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, i) => encode(from + i)));
  const length = members[0]?.length ?? 0;
  if (members.some((bytes) => bytes.length !== length)) return undefined;
  return Array.from({ length }, (_, i) => new Set(members.flatMap((bytes) => bytes[i] ?? [])));
}

/** How to find the lines that may match: one of a few literals, or three adjacent bytes of certain sets. Undefined: every line may. */
export type Prefilter =
  | { readonly literals: readonly PrefilterLiteral[] }
  | { readonly window: readonly ByteSet[] }
  | undefined;

interface PrefilterLiteral {
  readonly bytes: Uint8Array;
  /** ASCII letters stand for both cases. */
  readonly foldCase: boolean;
}

interface Literals {
  readonly literals: readonly PrefilterLiteral[];
  readonly share: number;
}
interface Window {
  readonly window: readonly ByteSet[];
  readonly share: number;
}

const MOST_LITERALS = 8;
const SHORTEST_LITERAL = 2;
/** Rarer literals are always better than a window; a window more frequent than this proposes nearly every line. */
const RARE = 1e-3;
const USEFUL = 0.02;

/** The cheapest way to find candidates. */
export function prefilterOf(need: Requirement): Prefilter {
  const best = literalsOf(need);
  const literals = best && best.literals.length <= MOST_LITERALS ? best : undefined;
  if (literals && literals.share < RARE) return { literals: literals.literals };
  const window = windowOf(need);
  if (window && window.share < USEFUL && (!literals || window.share < literals.share)) return { window: window.window };
  return literals && { literals: literals.literals };
}

function rarest<T extends { share: number }>(choices: readonly (T | undefined)[]): T | undefined {
  return choices.filter((choice) => choice !== undefined).sort((a, b) => a.share - b.share)[0];
}

function literalsOf(need: Requirement): Literals | undefined {
  if (!need) return undefined;
  if ('all' in need) return rarest(need.all.map(literalsOf));
  if ('run' in need) return rarest(literalsIn(need.run));
  const parts = need.any.map(literalsOf);
  if (!parts.every((part) => part !== undefined)) return undefined;
  return {
    literals: parts.flatMap(({ literals }) => literals),
    share: parts.reduce((sum, { share }) => sum + share, 0),
  };
}

/** The longest stretches of a run that are a literal. */
function literalsIn(run: readonly ByteSet[]): Literals[] {
  const found: Literals[] = [];
  for (let from = 0; from < run.length; ) {
    const foldCase = isLetterInBothCases(run, from);
    let to = from;
    let share = 1;
    for (let place = run[to]; place && (place.size === 1 || isBothCases(place)); place = run[++to])
      share *= Math.sqrt(frequencyOf(place)); // neighbours depend on each other
    if (to - from >= SHORTEST_LITERAL) found.push({ literals: [literal(run.slice(from, to), foldCase)], share });
    from = to + 1;
  }
  return found;
}

/** Whether some letter of the stretch stands for both cases: then one that stands for itself alone is proposed in both. */
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
    windows.push({ window, share: window.reduce((product, place) => product * frequencyOf(place), 1) });
  }
  return rarest(windows);
}

/** Beyond this share a byte is found too often to be looked for first. */
const RARE_BYTE = 0.035;

/** The record of findWindow in the kernel for three byte sets. */
export function windowTables(window: readonly ByteSet[]): Uint8Array {
  const tables = new Uint8Array(WINDOW_BYTES);
  window.forEach((place, i) => tables.set(nibbleTables(place), 32 * i));
  const shares = window.map((place) => (place.size === 1 ? frequencyOf(place) : 1));
  const rarest = Math.min(...shares);
  const pivot = rarest < RARE_BYTE ? shares.indexOf(rarest) : 3;
  tables.set([pivot, 0, 0, 0, ...(window[pivot] ?? [0])], 96);
  return tables;
}

const WINDOW_BYTES = 112;

/** The two tables of findWindow for a byte set; beyond eight different rows they also accept others. */
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
