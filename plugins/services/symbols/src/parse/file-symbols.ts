/** A name that a file defines. Offsets are UTF-16 code units of its text; lines count from 1. */
export interface Definition {
  readonly name: string;
  readonly kind: string;
  /** Of the name itself. */
  readonly line: number;
  readonly column: number;
  readonly at: number;
  readonly startLine: number;
  readonly endLine: number;
  /** The type, namespace or function around it. */
  readonly container?: string;
  /** The name of its type, where that stands beside it: of a variable, parameter or property. */
  readonly type?: string;
  /** The names of what a type extends or implements. */
  readonly bases?: readonly string[];
  /** Reached through something else: `value.name`. */
  readonly isMember: boolean;
  /** Other files see it only if they include this one: `static` in C. */
  readonly isPrivate?: true;
  /** Of a local name: where it is visible. */
  readonly scope?: readonly [start: number, end: number];
}

export type Role = 'call' | 'type' | 'import' | 'other';

/** A place that uses a name. */
export interface Reference {
  readonly name: string;
  readonly role: Role;
  readonly line: number;
  readonly column: number;
  readonly at: number;
  /** Whether it stands behind something: `x.name`. */
  readonly isMember: boolean;
  /** That something, where it is one word. */
  readonly qualifier?: string;
}

/** A name that a file takes from elsewhere, or passes on from there. */
export interface Import {
  /** As it is written; empty for a name of this file that others know under another. */
  readonly module: string;
  /** `name`: one name of it; `module`: the whole under one name; `all`: every name of it. */
  readonly kind: 'name' | 'module' | 'all';
  /** The name there; `default` for what a module has instead of one. Empty unless `kind` is `name`. */
  readonly imported: string;
  /** The name here. */
  readonly local: string;
  /** Where the language says what a file passes on: this is for the file alone. */
  readonly isOwn?: true;
}

/** The name of the value that a module is: `module.exports = value`, or `export = value` in TypeScript. */
export const wholeModule = 'export=';

/** The symbols that the syntax of one file tells, in the order of the file. */
export interface FileSyntax {
  readonly definitions: readonly Definition[];
  readonly references: readonly Reference[];
  readonly imports: readonly Import[];
}

/** The same with lookups by name, which cost a fraction of reading all of it. */
export interface FileSymbols extends FileSyntax {
  /** Each that the file defines or uses, once. */
  readonly names: readonly string[];
  has(name: string): boolean;
  definitionsOf(name: string): readonly Definition[];
  usesOf(name: string): readonly Reference[];
}

/** Whether a use is the name of an argument, which is that of a parameter. */
export const namesParameter = ({ qualifier = '' }: Reference): boolean => qualifier.endsWith('#=');

/** Whether a use of a name stands where a local definition of it hides all others. */
export const isShadowed = (symbols: FileSymbols, { name, at, isMember }: Reference): boolean =>
  !isMember && symbols.definitionsOf(name).some(({ scope }) => scope && scope[0] <= at && at < scope[1]);
