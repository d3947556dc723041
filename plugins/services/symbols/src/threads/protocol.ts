import type { Language } from '@sextant/contracts';

/** What a thread must know of a language; the first request that uses one brings it. */
export type Grammar = Pick<Language, 'name' | 'grammar' | 'query' | 'repairs'>;

export interface ParseRequest {
  readonly id: number;
  readonly grammar: Grammar;
  readonly text: string;
  /** Milliseconds; what was found by then is the answer. */
  readonly limit: number;
}

/** Packed as `pack` does; undefined where parsing took too long. */
export type ParseAnswer =
  | { readonly id: number; readonly packed: Uint8Array<ArrayBuffer> | undefined }
  | { readonly id: number; readonly failure: string };
