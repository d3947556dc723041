import type { CodePiece } from '@sextant/contracts';
import { addressOf } from './asked.ts';
import type { View } from './page.ts';

/** A search that takes longer is not run again for the colours of its results. */
const longestMs = 500;
/** The markup of some lines, undefined where nothing colours them; `isLate` where it was not ready in time. */
export interface Coloured {
  readonly markup: readonly string[] | undefined;
  readonly isLate: boolean;
}

export async function coloured({ colours, coloursMs }: View, piece: CodePiece): Promise<Coloured> {
  const found = await colours?.colour(piece, coloursMs);
  return { markup: found?.markup, isLate: found?.isComplete === false };
}

/** Where a script gets the results again if some of their colours were late. */
export const againAddress = ({ asked }: View, milliseconds: number, pieces: readonly Coloured[]): string | undefined =>
  milliseconds <= longestMs && pieces.some(({ isLate }) => isLate) ? addressOf(asked, { part: 'coloured' }) : undefined;
