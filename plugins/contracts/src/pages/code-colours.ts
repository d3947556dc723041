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

/** The markup of each line of a piece. */
export interface ColouredCode {
  readonly markup: readonly string[];
  /** Whether these are its colours. Else they were not ready in time; who asks again later may get them. */
  readonly isComplete: boolean;
}

/** Colours of code, for pages that show pieces of files. */
export interface CodeColours {
  /** What is there after so many milliseconds at most. What is not coloured by then is escaped text. */
  colour(piece: CodePiece, waitMs: number): Promise<ColouredCode>;
}

export const CodeColours = token<CodeColours>('code-colours');
