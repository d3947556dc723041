import { token } from '@sextant/core';
import type { Caller } from '@sextant/core';
import type { ParsedQuery } from '../../query/query.ts';
import type { Chunk } from '../search/search.ts';
import type { PackageManifest } from './language.ts';

/** A name as it stands in a file. */
export interface SymbolRequest {
  readonly repo: string;
  /** A file that uses or defines the name. */
  readonly path: string;
  /** One name. What it belongs to may stand before it: `Store.load`, `Store::load`, `Store#load`. */
  readonly symbol: string;
  /** Absent: the default branch. */
  readonly revision?: string;
  /** Of the use that is meant, from 1; absent: any of the file. */
  readonly line?: number;
  /** Others have more repositories: the answer is to say what was sought in them. */
  readonly isPart?: boolean;
}

/** What an answer depends on in other repositories than that of its request. */
export type SoughtElsewhere =
  /** Files that have a name, and import one of the packages where these are known. `language` is the name of one. */
  | {
      readonly kind: 'name';
      readonly name: string;
      readonly role: 'definition' | 'use';
      readonly language: string;
      readonly besides?: string;
      readonly packages?: readonly string[];
    }
  /** Manifests of a package. */
  | ({ readonly kind: 'manifest' } & PackageManifest);

/** Where an answer comes from: an index that a compiler wrote, syntax and imports, or the text alone. */
export type Precision = 'precise' | 'syntactic' | 'text';

/** A place of a name, or of its definition. */
export interface SymbolPlace {
  /** Of the name, from 1. */
  readonly line: number;
  /** `function`, `class`, `method` and the like for a definition; for a use `call`, `type`, `import` or `other`. */
  readonly kind: string;
  /** The type or namespace that it belongs to. */
  readonly container?: string;
  /** Of a search: where the name stands in its line, in UTF-16 code units from 0. */
  readonly range?: readonly [start: number, end: number];
}

export interface SymbolFile {
  readonly repo: string;
  readonly path: string;
  /** As it was asked for; absent: the default branch. */
  readonly revision?: string;
  /** In order, with the lines around each place. */
  readonly chunks: readonly Chunk[];
  /** Empty where the text alone was looked at. */
  readonly places: readonly SymbolPlace[];
  /** Of a search: definitions in the file that match, shown or not. */
  readonly matchCount?: number;
  /** Of a search for a part of an answer: how well its best name matches. */
  readonly rate?: number;
}

/** Where a name comes from that no repository defines. */
export interface Outside {
  /** As an import of the file writes it. Absent: what the language or its platform has. */
  readonly module?: string;
}

export interface SymbolAnswer {
  /** Most likely first. Equally likely files of one repository stand together. */
  readonly files: readonly SymbolFile[];
  /** The precision of the first file. */
  readonly precision: Precision;
  /** The name could not be followed: the files define something of that name, which may be another. */
  readonly isByNameOnly?: true;
  /** No repository that the caller may read defines what is meant. Then `files` has at most three uses. */
  readonly outside?: Outside;
  /** Sentences for the caller, such as which repositories could not be read; absent where there is nothing to say. */
  readonly notes?: readonly string[];
  /** Of a part of an answer; absent where nothing was sought elsewhere. */
  readonly sought?: readonly SoughtElsewhere[];
}

export interface ReferenceAnswer extends SymbolAnswer {
  /** Uses that were found, shown or not; a lower bound where `limitHit`. */
  readonly totalCount: number;
  readonly limitHit: boolean;
}

/** A query with `type:symbol`: a search for definitions by their names. */
export interface SymbolQuery extends ParsedQuery {
  /** Files shown where the query has no `count:`. */
  readonly limit: number;
  /** Others have more repositories: the answer is merged with theirs, and says no reasons for finding nothing. */
  readonly isPart?: boolean;
  /** Whether the call names the repositories; absent: where `namesRepositories` says so of those that the caller may read. */
  readonly isNamed?: boolean;
}

export interface FoundSymbols {
  /** Those with the best names first; the places are the definitions that match, at most three where the query has no `count:`. */
  readonly files: readonly SymbolFile[];
  /** Definitions that match, shown or not; a lower bound where `limitHit`. */
  readonly matchCount: number;
  readonly limitHit: boolean;
  /** Sentences for the caller. */
  readonly notes: readonly string[];
}

export interface OutlineRequest {
  readonly repo: string;
  readonly path: string;
  readonly revision?: string;
  /** Only definitions that overlap one of these parts of the file; from 1, inclusive. */
  readonly parts?: readonly { readonly startLine: number; readonly endLine: number }[];
}

/** A definition that can be seen from outside of the function it stands in. */
export interface OutlineEntry {
  readonly name: string;
  /** `function`, `class`, `method` and the like. */
  readonly kind: string;
  /** Of the name, from 1. */
  readonly line: number;
  /** Of the last line of the definition, from 1. */
  readonly endLine: number;
  /** The type or namespace that it belongs to. */
  readonly container?: string;
  /** How it is declared, up to what it holds, on one line of at most 200 characters. */
  readonly signature: string;
  /** The first line of its documentation there. */
  readonly docs?: string;
}

export interface Outline {
  /** In the order of the file; empty where its syntax is not known. */
  readonly definitions: readonly OutlineEntry[];
  /** Whether the file has more than the 5000 that are listed. */
  readonly limitHit: boolean;
  /** Sentences that say why definitions are missing, such as a parser that gave up; absent where there is nothing to say. */
  readonly notes?: readonly string[];
}

/**
 * Where names are defined and used, at any revision and across repositories. Every method looks only at what the caller
 * may read, and stops when `signal` aborts. Throws `not_found` for a missing repository, revision or file, and for a
 * name that the file does not have (similar ones are suggested). Throws `invalid_argument` for what is no name. If
 * another repository or file cannot be read, `notes` names the repository, and the rest is answered.
 */
export interface Symbols {
  /** The definitions that a name in a file may mean: one, unless that cannot be told. */
  findDefinition(caller: Caller, request: SymbolRequest, signal: AbortSignal): Promise<SymbolAnswer>;
  /** At most `limit` uses of what a name in a file means, those in its own file first; definitions are not among them. */
  findReferences(
    caller: Caller,
    request: SymbolRequest & { readonly limit: number },
    signal: AbortSignal,
  ): Promise<ReferenceAnswer>;
  /**
   * Definitions whose names have all the terms of a query. Throws what `Search` throws, and `invalid_argument` for a query
   * without `type:symbol`.
   */
  search(caller: Caller, request: SymbolQuery, signal: AbortSignal): Promise<FoundSymbols>;
  /** What one file defines, from its syntax; local names and parameters are left out. */
  outline(caller: Caller, file: OutlineRequest, signal: AbortSignal): Promise<Outline>;
}

export const Symbols = token<Symbols>('symbols', {
  remote: { findDefinition: 'caller', findReferences: 'caller', search: 'caller', outline: 'caller' },
});
