import { SextantError } from '@sextant/core';
import { queryOf } from '@sextant/contracts';
import { typeKinds } from '@sextant/contracts/definition-kinds';
import type { ParsedQuery, Query, QueryTerm } from '@sextant/contracts';
import { symbolSearch } from '../limits.ts';

/** A query with `type:symbol`, in parts. */
export interface SymbolQuestion {
  /** Finds every file that may define such a name, and some others. */
  readonly fileQuery: ParsedQuery;
  /** The condition on names. Undefined if any name is wanted. */
  readonly name: NameCondition | undefined;
  /** Words such as `class` beside the name. Each must be the kind of a definition, or a part of its name. */
  readonly kinds: readonly string[];
  readonly count: number | 'all' | undefined;
  readonly notes: readonly string[];
}

/** An algebra over names. */
export type NameCondition =
  | { readonly kind: 'and' | 'or'; readonly children: readonly NameCondition[] }
  | { readonly kind: 'not'; readonly child: NameCondition }
  | QueryTerm;

/** Throws `invalid_argument` for a query that asks for something else. */
export function symbolQuestion({ query: asked, options, notes }: ParsedQuery): SymbolQuestion {
  if (!options.types.includes('symbol'))
    throw new SextantError('invalid_argument', 'the query asks for no symbols; write type:symbol');
  const { query, kinds } = withoutKinds(asked);
  const name = nameOf(query);
  const count = name ? symbolSearch.files.named : symbolSearch.files.any;
  return {
    fileQuery: queryOf([fileQueryOf(query)], { types: ['file'], select: 'file', count }),
    name,
    kinds,
    count: options.count,
    notes,
  };
}

/** Kinds of definitions, by the words that languages write before a name. */
export const kindsByWord: Readonly<Record<string, readonly string[]>> = {
  class: ['class'],
  interface: ['interface'],
  struct: ['struct'],
  trait: ['trait'],
  enum: ['enum'],
  type: [...typeKinds],
  function: ['function', 'method'],
  func: ['function', 'method'],
  fn: ['function', 'method'],
  def: ['function', 'method'],
  method: ['method', 'constructor'],
  const: ['constant', 'variable'],
  macro: ['macro'],
};

/** `class Store` asks for a class that is called Store. */
function withoutKinds(query: Query): { query: Query; kinds: string[] } {
  if (query.kind !== 'and') return { query, kinds: [] };
  const kinds = query.children.flatMap((one) => (one.kind === 'literal' && isKind(one.text) ? [one.text] : []));
  const children = query.children.filter((one) => !(one.kind === 'literal' && isKind(one.text)));
  const hasName = nameOf({ kind: 'and', children }) !== undefined;
  return hasName ? { query: { kind: 'and', children }, kinds } : { query, kinds: [] };
}

const isKind = (word: string): boolean => Object.hasOwn(kindsByWord, word);

/** The last part of a qualified name: `Guest::update`, `WP_Query.parse(`. */
const lastName = /\w(?:::|->|\.|#)([\p{L}_]\w*)(?:\(.*)?$/su;

/** A sentence with the query to ask instead of a qualified name, which no symbol has. Empty otherwise. */
export function simpleNameMeant(name: NameCondition | undefined): string {
  if (name?.kind === 'and' || name?.kind === 'or')
    return name.children.map(simpleNameMeant).find((sentence) => sentence !== '') ?? '';
  const last = name?.kind === 'literal' ? lastName.exec(name.text)?.[1] : undefined;
  return name?.kind === 'literal' && last !== undefined
    ? `Symbols are found by their simple names: "${last}" in place of "${name.text}".`
    : '';
}

/** Whether a query says something of names. */
export const namesSomething = ({ query }: ParsedQuery): boolean => nameOf(query) !== undefined;

/** The condition on names: the terms of a query, without its filters of files. */
function nameOf(query: Query): NameCondition | undefined {
  if (query.kind === 'literal' || query.kind === 'regex') return query;
  if (query.kind === 'not') {
    const child = nameOf(query.child);
    return child && { kind: 'not', child };
  }
  if (query.kind !== 'and' && query.kind !== 'or') return undefined;
  const children = query.children.map(nameOf);
  const kept = children.filter((child) => child !== undefined);
  // One alternative without terms allows any name.
  if (kept.length === 0 || (query.kind === 'or' && kept.length < children.length)) return undefined;
  return { kind: query.kind, children: kept };
}

/** The condition on files. An excluded name excludes no file, which may define another that matches. */
function fileQueryOf(query: Query): Query {
  switch (query.kind) {
    case 'and':
    case 'or':
      return { kind: query.kind, children: query.children.map(fileQueryOf) };
    case 'not':
      return nameOf(query.child) ? { kind: 'all' } : query;
    case 'regex':
      return { ...query, pattern: inLine(query.pattern) };
    default:
      return query;
  }
}

/** Without anchors: a name begins and ends somewhere in a line. */
const inLine = (pattern: string): string => pattern.replace(/^\^/, '').replace(/(?<!\\)\$$/, '');
