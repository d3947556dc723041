import type { FileSymbols } from '../file-symbols.ts';

/** What a thread must know of a language; the first request that uses one brings it. */
export interface Grammar {
  readonly name: string;
  readonly grammar: string;
  readonly query: string;
}

export interface ParseRequest {
  readonly id: number;
  readonly grammar: Grammar;
  readonly text: string;
  /** Milliseconds; what was found by then is the answer. */
  readonly limit: number;
}

export type ParseAnswer =
  | { readonly id: number; readonly symbols: FileSymbols | undefined }
  | { readonly id: number; readonly failure: string };
