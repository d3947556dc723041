/** A name that a file defines. Offsets are UTF-16 code units of its text; lines count from 1. */
export interface Definition {
  readonly name: string;
  readonly kind: string;
  /** Where the name stands. */
  readonly line: number;
  readonly column: number;
  readonly at: number;
  readonly startLine: number;
  readonly endLine: number;
  /** The type, namespace or function around it. */
  readonly container?: string;
  /** The text of its type, as `types/type-parser.ts` reads it. After `=`, the text of its value. */
  readonly type?: string;
  /** The names of what a type extends or implements. */
  readonly bases?: readonly string[];
  /** Reached through something else: `value.name`. */
  readonly isMember: boolean;
  /** `static` in C: other files see it only if they include this one. */
  readonly isPrivate?: true;
  /** Where a local name is visible. Undefined for names that are not local. */
  readonly scope?: readonly [start: number, end: number];
}

export type Role = 'call' | 'type' | 'import' | 'other';

/** A place that uses a name. */
export interface Reference {
  readonly name: string;
  readonly role: Role;
  readonly line: number;
  readonly at: number;
  /** Whether it has a qualifier, as in `x.name`. */
  readonly isMember: boolean;
  /** The text of the qualifier. Undefined if it is too long or unknown. */
  readonly qualifier?: string;
}

/** A name that a file imports or re-exports. */
export interface Import {
  /** As it is written. Empty if the file exports one of its own names under another one. */
  readonly module: string;
  /** `name`: one name of it; `module`: the whole under one name; `all`: every name of it. */
  readonly kind: 'name' | 'module' | 'all';
  /** The name there; `default` for what a module has instead of one. Empty unless `kind` is `name`. */
  readonly imported: string;
  /** The name here. */
  readonly local: string;
  /** The language has re-exports, and this import is none: only the file itself sees it. */
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

/** The same with lookups by name, which are faster than reading everything. */
export interface FileSymbols extends Omit<FileSyntax, 'references'> {
  /** Each name that the file defines or uses, once. */
  readonly names: readonly string[];
  has(name: string): boolean;
  definitionsOf(name: string): readonly Definition[];
  usesOf(name: string): readonly Reference[];
}

/** Whether a use names an argument of a call, and so a parameter of the called function. */
export const namesParameter = ({ qualifier = '' }: Reference): boolean => qualifier.endsWith('#=');

/** Whether a local definition hides all others where a name is used. */
export const isShadowed = (symbols: FileSymbols, { name, at, isMember }: Reference): boolean =>
  !isMember && symbols.definitionsOf(name).some(({ scope }) => scope && scope[0] <= at && at < scope[1]);
