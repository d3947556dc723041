import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Definition, FileSymbols, Import, Reference, Role } from '../file-symbols.ts';

/** Grows when what is packed, or how, changes: what was packed before is not read any more. */
export const packVersion = 2;

const roles: readonly Role[] = ['other', 'call', 'type', 'import'];
const numbersPerDefinition = 12;
const numbersPerReference = 6;

/** Columns of numbers, with words in a list of their own: a quarter of the time of reading objects. */
interface Packed {
  readonly words: readonly string[];
  readonly definitions: readonly number[];
  readonly references: readonly number[];
  readonly imports: readonly Import[];
}

/** What a file defines and uses, as bytes. */
export function pack({ definitions, references, imports }: FileSymbols): Uint8Array<ArrayBuffer> {
  const words = new WordList();
  const packed: Packed = {
    definitions: definitions.flatMap((one) => [
      words.numberOf(one.name),
      words.numberOf(one.kind),
      one.line,
      one.column,
      one.at,
      one.startLine,
      one.endLine,
      one.container === undefined ? -1 : words.numberOf(one.container),
      one.scope?.[0] ?? -1,
      // The end of a scope and whether it is a member: a member has no scope.
      one.scope?.[1] ?? (one.isMember ? -2 : -1),
      one.type === undefined ? -1 : words.numberOf(one.type),
      one.bases === undefined ? -1 : words.numberOf(one.bases.join(' ')),
    ]),
    references: references.flatMap((one) => [
      words.numberOf(one.name),
      roles.indexOf(one.role) * 2 + Number(one.isMember),
      one.line,
      one.column,
      one.at,
      one.qualifier === undefined ? -1 : words.numberOf(one.qualifier),
    ]),
    imports,
    words: words.all,
  };
  return new Uint8Array(deflateRawSync(JSON.stringify(packed), { level: 1 }));
}

/** Throws for what `pack` did not make. */
export function unpack(bytes: Uint8Array): FileSymbols {
  const { words, definitions, references, imports }: Packed = JSON.parse(inflateRawSync(bytes).toString());
  const word = (number = 0): string => words[number] ?? '';
  const defined: Definition[] = [];
  for (let at = 0; at < definitions.length; at += numbersPerDefinition)
    defined.push(definitionAt(definitions, at, word));
  const used: Reference[] = [];
  for (let at = 0; at < references.length; at += numbersPerReference) used.push(referenceAt(references, at, word));
  return { definitions: defined, references: used, imports };
}

type Word = (number: number | undefined) => string;

function definitionAt(numbers: readonly number[], at: number, word: Word): Definition {
  const [container = -1, start = -1, end = -1, type = -1, bases = -1] = numbers.slice(
    at + 7,
    at + numbersPerDefinition,
  );
  return {
    name: word(numbers[at]),
    kind: word(numbers[at + 1]),
    isMember: end === -2,
    line: numbers[at + 2] ?? 0,
    column: numbers[at + 3] ?? 0,
    at: numbers[at + 4] ?? 0,
    startLine: numbers[at + 5] ?? 0,
    endLine: numbers[at + 6] ?? 0,
    ...(container >= 0 && { container: word(container) }),
    ...(start >= 0 && { scope: [start, end] as const }),
    ...(type >= 0 && { type: word(type) }),
    ...(bases >= 0 && { bases: word(bases).split(' ') }),
  };
}

function referenceAt(numbers: readonly number[], at: number, word: Word): Reference {
  const [flags = 0, qualifier = -1] = [numbers[at + 1], numbers[at + 5]];
  return {
    name: word(numbers[at]),
    role: roles[flags >> 1] ?? 'other',
    isMember: (flags & 1) === 1,
    line: numbers[at + 2] ?? 0,
    column: numbers[at + 3] ?? 0,
    at: numbers[at + 4] ?? 0,
    ...(qualifier >= 0 && { qualifier: word(qualifier) }),
  };
}

class WordList {
  readonly #numbers = new Map<string, number>();

  get all(): string[] {
    return [...this.#numbers.keys()];
  }

  numberOf(word: string): number {
    const known = this.#numbers.get(word) ?? this.#numbers.size;
    this.#numbers.set(word, known);
    return known;
  }
}
