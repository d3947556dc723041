import type { Language } from '@sextant/contracts';

/** What a thread must know of a language; the first request that uses one brings it. */
export type Grammar = Pick<Language, 'name' | 'grammar' | 'query' | 'repairs'>;

export interface ParseRequest {
  readonly grammar: Grammar;
  readonly text: string;
  /** Milliseconds after which the text is given up. */
  readonly limit: number;
}

/** Packed as `pack` does; undefined where parsing took too long. */
export type ParseAnswer = { readonly packed: Uint8Array<ArrayBuffer> | undefined } | { readonly failure: string };
