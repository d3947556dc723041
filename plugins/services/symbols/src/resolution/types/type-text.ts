/** A type, or what stands for one, as `readType` understands its text. */
export type TypeNode =
  | { readonly kind: 'name'; readonly name: string; readonly args: readonly TypeNode[] }
  | { readonly kind: 'list'; readonly of: TypeNode }
  | { readonly kind: 'tuple' | 'either'; readonly of: readonly TypeNode[] }
  | FunctionNode
  /** Members between two offsets of the file. */
  | { readonly kind: 'span'; readonly start: number; readonly end: number }
  | { readonly kind: 'member'; readonly of: TypeNode; readonly name: string }
  /** What a value is; where it stands when that is not beside its name. */
  | { readonly kind: 'value'; readonly value: ValueNode; readonly at: number | undefined }
  | { readonly kind: 'unknown' };

export interface FunctionNode {
  readonly kind: 'function';
  readonly generics: readonly Generic[];
  readonly takes: readonly Parameter[];
  readonly gives: TypeNode;
}

/** A parameter of a type, with what it is where nothing is given for it. */
export interface Generic {
  readonly name: string;
  readonly otherwise: TypeNode | undefined;
}

export interface Parameter {
  readonly isRest: boolean;
  readonly type: TypeNode;
}

/** A value: where it begins and what is done with it. */
export type ValueNode =
  | { readonly kind: 'chain'; readonly head: ValueHead; readonly steps: readonly Step[] }
  | { readonly kind: 'either'; readonly of: readonly ValueNode[] }
  | { readonly kind: 'await'; readonly of: ValueNode };

export type ValueHead =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'typed'; readonly type: TypeNode }
  | { readonly kind: 'value'; readonly value: ValueNode }
  | { readonly kind: 'array'; readonly first: ValueNode | undefined };

export type Step =
  /** `isKey` where it stands in brackets. */
  | { readonly kind: 'member'; readonly name: string; readonly isKey?: true }
  | { readonly kind: 'call'; readonly args: readonly TypeNode[]; readonly isNew?: true }
  | { readonly kind: 'element'; readonly index: number | undefined }
  /** What a value is said to be. */
  | { readonly kind: 'cast'; readonly type: TypeNode }
  /** What arguments name. */
  | { readonly kind: 'parameters' }
  /** What a function gets as one of its arguments; of that, where it is a function, a parameter. `args` are those of the call. */
  | {
      readonly kind: 'argument';
      readonly index: number;
      readonly parameter: number | undefined;
      readonly args: readonly TypeNode[];
    };

export const unknown: TypeNode = { kind: 'unknown' };

const words =
  /\{\d+:\d+\}|=>|->|<-|\.\.\.|\?->|\?\.|::|\?\?|\|\||&&|[#@$]?[\p{L}_$][\p{L}\p{N}_$]*|\d+|"[^"]*"|'[^']*'|\S/gu;

/** The words of a text, taken one by one. */
export class Words {
  readonly #words: readonly string[];
  readonly #readValue: (words: Words) => ValueNode;
  #at = 0;

  /** Values stand in types, and types in values. */
  constructor(text: string, readValue: (words: Words) => ValueNode) {
    this.#words = text.match(words) ?? [];
    this.#readValue = readValue;
  }

  /** The value that comes next. */
  value(): ValueNode {
    return this.#readValue(this);
  }

  /** Those of a text in this one. */
  of(text: string): Words {
    return new Words(text, this.#readValue);
  }

  get next(): string {
    return this.#words[this.#at] ?? '';
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#words.length;
  }

  /** The word that is so many behind the next. */
  ahead(count: number): string {
    return this.#words[this.#at + count] ?? '';
  }

  take(): string {
    this.#at += 1;
    return this.#words[this.#at - 1] ?? '';
  }

  skip(...any: readonly string[]): boolean {
    if (this.isAtEnd || !any.includes(this.next)) return false;
    this.#at += 1;
    return true;
  }

  /** Goes back to where `place` was taken when there is nothing at the end of what was tried. */
  attempt<T>(read: () => T | undefined): T | undefined {
    const before = this.#at;
    const found = read();
    if (found === undefined) this.#at = before;
    return found;
  }
}

export const isName = (word: string): boolean => /^[#@$\p{L}_]/u.test(word) && word !== '@' && word !== '#';
