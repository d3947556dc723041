import { inverseFrequency } from './bm25f.ts';
import type { WordCounts } from './word-counts.ts';

/**
 * What each word is worth: more when few files have it. One that names repositories as much as few files of others have it, and no more
 * than the rarest of those that name none.
 */
export function weightsOf(places: readonly WordCounts[], wordWeights: readonly number[]): number[] {
  const rarities = wordWeights.map((_, word) =>
    rarity(
      places.filter((place) => !place.isNamedBy(word)),
      word,
    ),
  );
  const isNaming = wordWeights.map((_, word) => places.some((place) => place.isNamedBy(word)));
  // What stands nowhere, such as all of a question as it is asked, tells no file from another.
  const isSomewhere = wordWeights.map((_, word) => filesWith(places, word) > 0);
  const others = rarities.filter((_, word) => !isNaming[word] && isSomewhere[word]);
  const most = others.length > 0 ? Math.max(...others) : Infinity;
  return rarities.map((each, word) =>
    isSomewhere[word] ? (wordWeights[word] ?? 0) * (isNaming[word] ? Math.min(each, most) : each) : 0,
  );
}

const rarity = (places: readonly WordCounts[], word: number): number => {
  const total = places.reduce((sum, { view }) => sum + view.handle.files, 0);
  return inverseFrequency(total, filesWith(places, word));
};

/** How many texts and names have a word. */
export const filesWith = (places: readonly WordCounts[], word: number): number =>
  places.reduce((sum, place) => sum + place.countWith(word), 0);
