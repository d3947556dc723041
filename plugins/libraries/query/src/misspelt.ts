/** In shorter names a letter makes another word: `base` is not `case`. */
const longName = 6;

/** Whether a word is a name with two letters swapped, or a long one with one letter missing, wrong or too many. */
export function isMisspelt(word: string, name: string): boolean {
  const start = sharedStart(word, name);
  const end = sharedStart(reversed(word.slice(start)), reversed(name.slice(start)));
  const [written, meant] = [word.slice(start, word.length - end), name.slice(start, name.length - end)];
  const isSwapped = meant.length === 2 && written === reversed(meant);
  return isSwapped || (name.length >= longName && Math.max(written.length, meant.length) === 1);
}

const reversed = (text: string): string => [...text].toReversed().join('');

function sharedStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}
