import { token } from '@sextant/core';
import type { TextFile } from '../code/repositories.ts';

/** Some neighbouring lines of a file, without line ends. */
export interface CodePiece {
  /** Tells the language. */
  readonly path: string;
  readonly lines: readonly string[];
  /** The file, and its line, counted from 1, at which the piece begins: it may begin inside a comment. */
  readonly whole?: { readonly startLine: number; readonly read: () => Promise<TextFile> };
}

/** Colours of code, for pages that show pieces of files. */
export interface CodeColours {
  /** The markup of each line after so many milliseconds at most. What is not coloured by then is escaped text. */
  markup(piece: CodePiece, waitMs: number): Promise<readonly string[]>;
}

export const CodeColours = token<CodeColours>('code-colours');
