/** Some lines of a file, in the order of the file. */
export interface HighlightRequest {
  /** Of the file: lines of one file build on those before. */
  readonly file: string;
  readonly language: string;
  readonly lines: readonly string[];
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

/** What the thread is asked. */
export interface HighlightCalls {
  /** The lines as markup. */
  highlight(request: HighlightRequest): Promise<readonly string[]>;
}
