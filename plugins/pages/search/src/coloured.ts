import type { CodePiece } from '@sextant/contracts';
import { addressOf } from './asked.ts';
import type { View } from './page.ts';

/** A search that takes longer is not run again for the colours of its results. */
const longestMs = 500;
/** Milliseconds that a timer may be early. */
const earlyMs = 2;

/** The markup of some lines, undefined where nothing colours them; `isLate` where it may have been ready after that. */
export interface Coloured {
  readonly markup: readonly string[] | undefined;
  readonly isLate: boolean;
}

export async function coloured({ colours, coloursMs }: View, piece: CodePiece): Promise<Coloured> {
  const started = performance.now();
  const markup = await colours?.markup(piece, coloursMs);
  return { markup, isLate: markup !== undefined && performance.now() - started >= coloursMs - earlyMs };
}

/** Where a script gets the results again if some of their colours were late. */
export const againAddress = ({ asked }: View, milliseconds: number, pieces: readonly Coloured[]): string | undefined =>
  milliseconds <= longestMs && pieces.some(({ isLate }) => isLate) ? addressOf(asked, { part: 'coloured' }) : undefined;
