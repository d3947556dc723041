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

/** Packed as `pack` does; undefined where parsing took too long. */
export type ParseAnswer =
  | { readonly id: number; readonly packed: Uint8Array<ArrayBuffer> | undefined }
  | { readonly id: number; readonly failure: string };
