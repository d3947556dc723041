/** Some lines of a file, in the order of the file. */
export interface HighlightRequest {
  readonly id: number;
  /** Of the file: lines of one file build on those before. */
  readonly file: string;
  readonly language: string;
  readonly lines: readonly string[];
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

/** The lines as markup, or why there is none. */
export type HighlightAnswer =
  | { readonly id: number; readonly markup: readonly string[] }
  | { readonly id: number; readonly failure: string };
