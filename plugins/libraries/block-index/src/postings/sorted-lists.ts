// Operations on ascending lists of numbers (blocks or documents).

/** The first index from `place` on with a number of at least `from`: galloping, then binary search. */
export function firstFrom(numbers: Uint32Array, place: number, from: number): number {
  let low = place;
  let step = 1;
  while ((numbers[low + step] ?? from) < from) {
    low += step;
    step *= 2;
  }
  for (let high = Math.min(numbers.length, low + step); low < high; ) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The numbers in both lists. */
export function intersection(a: Uint32Array, b: Uint32Array): Uint32Array {
  let i = 0;
  return a.filter((number) => {
    while (i < b.length && (b[i] ?? 0) < number) i++;
    return b[i] === number;
  });
}

/** The numbers in any of the lists, each once. */
export function union(parts: readonly Uint32Array[]): Uint32Array {
  const all = new Uint32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let size = 0;
  for (const part of parts) {
    all.set(part, size);
    size += part.length;
  }
  return all.sort().filter((number, i) => i === 0 || number !== all[i - 1]);
}

/** Whether no number is less than the one before it. */
export function ascends(values: Uint32Array): boolean {
  let previous = 0;
  for (const value of values) {
    if (value < previous) return false;
    previous = value;
  }
  return true;
}
