import { token } from '@sextant/core';
import type { Caller } from '@sextant/core';
import type {
  FoundSymbols,
  Outline,
  OutlineRequest,
  ReferenceAnswer,
  SoughtElsewhere,
  SymbolAnswer,
  SymbolQuery,
  SymbolRequest,
} from '../code/symbols/symbols.ts';

/** Repositories that matter to an answer, and sentences about those that could not be looked at. */
export interface RepositoriesHaving {
  readonly repositories: readonly string[];
  readonly notes: readonly string[];
}

/** Tells which repositories have what an answer about another one depends on. */
export interface SoughtSymbols {
  /** Of those that the caller may read. Stops when `signal` aborts. */
  repositoriesHaving(
    caller: Caller,
    sought: readonly SoughtElsewhere[],
    signal: AbortSignal,
  ): Promise<RepositoriesHaving>;
}

export const SoughtSymbols = token<SoughtSymbols>('sought-symbols', { isForServices: true });

/** `Symbols` of the code nodes, as a host asks them. Of what a node has not, its answers know nothing. */
export interface SymbolNodes {
  /** One call of a node that has all of the repositories; undefined where none has. */
  findDefinition(
    caller: Caller,
    request: SymbolRequest,
    asked: { readonly among: readonly string[]; readonly signal: AbortSignal },
  ): Promise<SymbolAnswer | undefined>;
  findReferences(
    caller: Caller,
    request: SymbolRequest & { readonly limit: number },
    asked: { readonly among: readonly string[]; readonly signal: AbortSignal },
  ): Promise<ReferenceAnswer | undefined>;
  outline(caller: Caller, file: OutlineRequest, signal: AbortSignal): Promise<Outline>;
  /** Undefined where the query can be about no repository of the caller. */
  search(caller: Caller, query: SymbolQuery, signal: AbortSignal): Promise<FoundSymbols | undefined>;
  /** One call of each node that has others than the repositories `besides`. */
  repositoriesHaving(
    caller: Caller,
    sought: readonly SoughtElsewhere[],
    asked: { readonly besides: ReadonlySet<string>; readonly signal: AbortSignal },
  ): Promise<RepositoriesHaving>;
  /** The same caller, to whom `Repositories` shows none but these. */
  scoped(caller: Caller, repositories: readonly string[]): Caller;
}

export const SymbolNodes = token<SymbolNodes>('symbol-nodes', { isForServices: true });
