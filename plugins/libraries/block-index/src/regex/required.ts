import { INVALID } from './ast.ts';
import type { CodePoints, Node } from './ast.ts';
import { encode } from './byte-machine.ts';
import { pairs } from './code-points.ts';

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
