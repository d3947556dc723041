import { oneLine } from '@sextant/core';
import type { Place } from './localiser.ts';
import type { Work } from './work.ts';

const mostQuoted = 4;
const mostCharacters = 160;

/** What was found, for a reader with little time: where, why, and the lines that say so. */
export function summaryOf(places: readonly Place[], { isCut, notes }: Work): string {
  const [first] = places;
  if (!first && notes.length > 0) return `Nothing was found${isCut ? ' in time' : ''}.`;
  if (!first)
    return 'Nothing in the repository says anything of this. Name identifiers, paths or error texts as they stand in the code.';
  const files = [...new Map(places.map((place) => [keyOf(place), place])).values()];
  const rest = files.length === 1 ? '' : ` ${files.length - 1} more follow, the likeliest first.`;
  const quotes = places
    .filter(({ best }) => best.length > 0)
    .slice(0, mostQuoted)
    .map(quoteOf);
  return [oneLine(`The likeliest place is ${first.path} (${first.reason}).${rest}`), ...quotes].join('\n');
}

const keyOf = ({ repo, path }: Place): string => `${repo}\0${path}`;

/** The best line of a range. */
function quoteOf({ path, startLine, lines, best }: Place): string {
  const line = best[0] ?? startLine;
  return `${oneLine(path)}:${line} | ${shortened(lines[line - startLine] ?? '')}`;
}

export const shortened = (line: string): string => {
  const text = line.trim();
  return text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text;
};
