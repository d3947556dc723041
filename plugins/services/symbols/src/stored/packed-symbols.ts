import type { Definition, FileSyntax, Reference, Role } from '../file-symbols.ts';
import { ByteWriter } from './bytes.ts';

/** Grows when what is packed, or how, changes: what was packed before is not read any more. */
export const packVersion = 5;

/**
 * Packed symbols: the header, the table of words, their texts, one group for each, the imports as JSON. Words are in the order of
 * their code units, so that those of one name are found without reading the rest. A group has the definitions of its word, then the uses.
 */
export const numberBytes = 3;
/** Words, bytes of their texts, bytes of the groups. */
export const headerBytes = 3 * numberBytes;
/** Where the text and the group of a word end. */
export const wordBytes = 2 * numberBytes;

export const roles: readonly Role[] = ['other', 'call', 'type', 'import'];

/** What is known of a definition besides what each has. */
export const definitionFlags = { isMember: 1, scope: 2, container: 4, type: 8, bases: 16 };
const flagNames = ['isMember', 'scope', 'container', 'type', 'bases'] as const;
/** Below the role of a use. */
export const useFlags = { isMember: 1, qualifier: 2 };

interface Group {
  readonly definitions: Definition[];
  readonly uses: Reference[];
}

/** What a file defines and uses, as bytes that `PackedSymbols` reads. */
export function pack({ definitions, references, imports }: FileSyntax): Uint8Array<ArrayBuffer> {
  const groups = groupsOf(definitions, references);
  const words = [...groups.keys()].sort();
  const numbers = new Map(words.map((word, index) => [word, index]));
  const numberOf = (word: string): number => numbers.get(word) ?? 0;
  const table = Buffer.alloc(headerBytes + words.length * wordBytes);
  const texts = Buffer.from(words.join(''));
  const packed = new ByteWriter();
  let textEnd = 0;
  for (const [index, word] of words.entries()) {
    const group = groups.get(word);
    if (group) writeGroup(packed, group, numberOf);
    textEnd += Buffer.byteLength(word);
    table.writeUIntLE(textEnd, headerBytes + index * wordBytes, numberBytes);
    table.writeUIntLE(packed.length, headerBytes + index * wordBytes + numberBytes, numberBytes);
  }
  for (const [index, size] of [words.length, texts.length, packed.length].entries())
    table.writeUIntLE(size, index * numberBytes, numberBytes);
  const tail = imports.length > 0 ? Buffer.from(JSON.stringify(imports)) : Buffer.alloc(0);
  return new Uint8Array(Buffer.concat([table, texts, packed.written, tail]));
}

/** Every word that is needed, those that are no names without anything in their group. */
function groupsOf(definitions: readonly Definition[], references: readonly Reference[]): Map<string, Group> {
  const groups = new Map<string, Group>();
  const groupOf = (word: string): Group => {
    const known = groups.get(word);
    if (known) return known;
    const group = { definitions: [], uses: [] };
    groups.set(word, group);
    return group;
  };
  for (const one of definitions) {
    groupOf(one.name).definitions.push(one);
    for (const word of [one.kind, one.container, one.type, ...(one.bases ?? [])]) if (word !== undefined) groupOf(word);
  }
  for (const one of references) {
    groupOf(one.name).uses.push(one);
    if (one.qualifier !== undefined) groupOf(one.qualifier);
  }
  return groups;
}

type NumberOf = (word: string) => number;

function writeGroup(to: ByteWriter, { definitions, uses }: Group, numberOf: NumberOf): void {
  if (definitions.length + uses.length === 0) return;
  to.number(definitions.length);
  for (const one of definitions) writeDefinition(to, one, numberOf);
  let [line, at] = [0, 0];
  for (const use of uses) {
    const { qualifier } = use;
    const flags = (use.isMember ? useFlags.isMember : 0) + (qualifier === undefined ? 0 : useFlags.qualifier);
    to.number(roles.indexOf(use.role) * 4 + flags);
    to.signed(use.line - line);
    to.number(use.column);
    to.signed(use.at - at);
    if (qualifier !== undefined) to.number(numberOf(qualifier));
    ({ line, at } = use);
  }
}

function writeDefinition(to: ByteWriter, one: Definition, numberOf: NumberOf): void {
  const { isMember, scope, container, type, bases } = one;
  const present = { isMember: isMember || undefined, scope, container, type, bases };
  let flags = 0;
  for (const name of flagNames) if (present[name] !== undefined) flags += definitionFlags[name];
  to.number(flags);
  to.number(numberOf(one.kind));
  to.number(one.line);
  to.number(one.column);
  to.number(one.at);
  to.signed(one.startLine - one.line);
  to.signed(one.endLine - one.line);
  if (scope) {
    to.number(scope[0]);
    to.signed(scope[1] - scope[0]);
  }
  if (container !== undefined) to.number(numberOf(container));
  if (type !== undefined) to.number(numberOf(type));
  if (bases) to.number(bases.length);
  for (const base of bases ?? []) to.number(numberOf(base));
}
