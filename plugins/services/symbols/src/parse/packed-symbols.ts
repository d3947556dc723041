import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Definition, FileSymbols, FileSyntax, Import, Reference } from './file-symbols.ts';

/** Increase this when the packed format changes. Symbols that were packed before are not read any more. */
export const packVersion = 12;

/** Higher levels take longer and save little. The checksum finds damage. */
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 } };

/**
 * What a file has of one name, as one line of JSON. The first line has the imports. A name is found by the begin of its line, so that
 * nothing else is parsed. The arrays have no names of fields, to save space.
 */
type Group = readonly [name: string, definitions: readonly PackedDefinition[], uses: readonly PackedUse[]];

type PackedDefinition = readonly [
  kind: Definition['kind'],
  isMember: boolean,
  line: number,
  column: number,
  at: number,
  startLine: number,
  endLine: number,
  others: Omit<Definition, 'name' | 'kind' | 'isMember' | 'line' | 'column' | 'at' | 'startLine' | 'endLine'>,
];

type PackedUse = readonly [role: Reference['role'], isMember: boolean, line: number, at: number, qualifier?: string];

/** What a file defines and uses, as bytes that `PackedSymbols` reads. */
export function pack({ definitions, references, imports }: FileSyntax): Uint8Array<ArrayBuffer> {
  const definedBy = Map.groupBy(definitions, ({ name }) => name);
  const usedBy = Map.groupBy(references, ({ name }) => name);
  const names = [...new Set([...definedBy.keys(), ...usedBy.keys()])].toSorted();
  const groups = names.map((name): Group => {
    return [name, (definedBy.get(name) ?? []).map(packDefinition), (usedBy.get(name) ?? []).map(packUse)];
  });
  const lines = [imports, ...groups].map((line) => JSON.stringify(line));
  return new Uint8Array(zstdCompressSync(lines.join('\n') + '\n', compression));
}

function packDefinition(definition: Definition): PackedDefinition {
  // JSON leaves out the undefined name.
  const { kind, isMember, line, column, at, startLine, endLine, ...others } = { ...definition, name: undefined };
  return [kind, isMember, line, column, at, startLine, endLine, others];
}

const packUse = ({ role, isMember, line, at, qualifier }: Reference): PackedUse =>
  qualifier === undefined ? [role, isMember, line, at] : [role, isMember, line, at, qualifier];

/** Names whose definitions stay in memory, because following values asks for the same names again. */
const lastNames = 4;

/** What a file defines and uses, decoded from its bytes on demand. */
export class PackedSymbols implements FileSymbols {
  readonly #bytes: Buffer;
  #definitions: readonly Definition[] | undefined;
  #imports: readonly Import[] | undefined;
  /** Where the names that were asked for stand. */
  readonly #found = new Map<string, number>();
  readonly #lastDefinitions = new Map<string, readonly Definition[]>();

  /** Throws for what `pack` did not make. */
  constructor(packed: Uint8Array) {
    this.#bytes = zstdDecompressSync(packed);
  }

  get definitions(): readonly Definition[] {
    this.#definitions ??= this.#groups()
      .flatMap(definitionsIn)
      .sort((a, b) => a.at - b.at);
    return this.#definitions;
  }

  get imports(): readonly Import[] {
    this.#imports ??= this.#lineAt<readonly Import[]>(0);
    return this.#imports;
  }

  get names(): string[] {
    return this.#groups().map(([name]) => name);
  }

  /** Each name, whether a definition of it can be seen from outside of a function, and whether it is used. */
  roles(): { name: string; isDefined: boolean; isUsed: boolean }[] {
    return this.#groups().map(([name, definitions, uses]) => {
      const isDefined = definitions.some(([, , , , , , , { scope }]) => !scope);
      return { name, isDefined, isUsed: uses.length > 0 };
    });
  }

  has(name: string): boolean {
    return this.#find(name) >= 0;
  }

  definitionsOf(name: string): readonly Definition[] {
    const known = this.#lastDefinitions.get(name);
    if (known) return known;
    const found = definitionsIn(this.#groupOf(name));
    if (this.#lastDefinitions.size >= lastNames) this.#lastDefinitions.clear();
    this.#lastDefinitions.set(name, found);
    return found;
  }

  usesOf(name: string): readonly Reference[] {
    return usesIn(this.#groupOf(name));
  }

  #groups(): Group[] {
    const [, ...lines] = this.#bytes.toString().trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line));
  }

  #groupOf(name: string): Group {
    const at = this.#find(name);
    return at < 0 ? [name, [], []] : this.#lineAt<Group>(at + 1);
  }

  /** Where the line of a name ends the one before it; -1 if the file does not have the name. */
  #find(name: string): number {
    const found = this.#found.get(name) ?? this.#bytes.indexOf(`\n[${JSON.stringify(name)},`);
    this.#found.set(name, found);
    return found;
  }

  #lineAt<T>(start: number): T {
    return JSON.parse(this.#bytes.toString('utf8', start, this.#bytes.indexOf('\n', start)));
  }
}

const definitionsIn = ([name, definitions]: Group): Definition[] =>
  definitions.map(([kind, isMember, line, column, at, startLine, endLine, others]) => {
    return { ...others, name, kind, isMember, line, column, at, startLine, endLine };
  });

const usesIn = ([name, , uses]: Group): Reference[] =>
  uses.map(([role, isMember, line, at, qualifier]) => {
    return { name, role, isMember, line, at, ...(qualifier !== undefined && { qualifier }) };
  });
