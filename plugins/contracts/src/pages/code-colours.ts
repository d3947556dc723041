import { token } from '@sextant/core';

/** Some neighbouring lines of a file, without line ends. */
export interface CodePiece {
  /** Tells the language. */
  readonly path: string;
  readonly lines: readonly string[];
}

/** Colours of code, for pages that show pieces of files. */
export interface CodeColours {
  /** The markup of each line after so many milliseconds at most. What is not coloured by then is escaped text. */
  markup(piece: CodePiece, waitMs: number): Promise<readonly string[]>;
}

export const CodeColours = token<CodeColours>('code-colours');
