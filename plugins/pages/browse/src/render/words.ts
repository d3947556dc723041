/** Lines whose common part is smaller than this share of the shorter one have nothing in common. */
const leastCommon = 0.4;

/**
 * For lines that replace others one by one, by their index, the part that is not the same in both, marker included. Found by
 * what both begin and end with: most changes of a line are in one place.
 */
export function changedWords(lines: readonly string[]): Map<number, readonly [number, number]> {
  const changed = new Map<number, readonly [number, number]>();
  for (let at = 0; at < lines.length; at += 1) {
    const removed = runOf(lines, at, '-');
    const added = runOf(lines, at + removed, '+');
    const pairs = removed === added ? removed : 0;
    for (const before of Array.from({ length: pairs }, (_, pair) => at + pair)) {
      const after = before + removed;
      compare(changed, [before, lines[before] ?? ''], [after, lines[after] ?? '']);
    }
    at += Math.max(0, removed + added - 1);
  }
  return changed;
}

/** How many lines with a marker stand one after the other. */
function runOf(lines: readonly string[], from: number, marker: string): number {
  for (let to = from; to < lines.length; to += 1) if (!lines[to]?.startsWith(marker)) return to - from;
  return lines.length - from;
}

type Line = readonly [index: number, text: string];

function compare(
  changed: Map<number, readonly [number, number]>,
  [oldIndex, before]: Line,
  [newIndex, after]: Line,
): void {
  const shorter = Math.min(before.length, after.length);
  let start = 1;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  if (start - 1 + end < leastCommon * (shorter - 1)) return;
  if (before.length - end > start) changed.set(oldIndex, [start, before.length - end]);
  if (after.length - end > start) changed.set(newIndex, [start, after.length - end]);
}
