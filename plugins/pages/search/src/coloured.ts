import type { CodePiece } from '@sextant/contracts';
import { addressOf } from './asked.ts';
import type { View } from './page.ts';

/** The markup of some lines, undefined where nothing colours them; `isLate` where it was not ready in time. */
export interface Coloured {
  readonly markup: readonly string[] | undefined;
  readonly isLate: boolean;
}

export async function coloured({ colours, coloursMs }: View, piece: CodePiece): Promise<Coloured> {
  const found = await colours?.colour(piece, coloursMs);
  return { markup: found?.markup, isLate: found?.isComplete === false };
}

/** Where a script gets the results again if some of their colours were late: a search that was late itself is not run again. */
export const againAddress = ({ asked, isFirst }: View, pieces: readonly Coloured[]): string | undefined =>
  isFirst && pieces.some(({ isLate }) => isLate) ? addressOf(asked, { part: 'coloured' }) : undefined;
