import { Bits } from './bits.ts';

const steps = 1024;

/** The places of about the highest scores of several lists, at least `least` of them if so many are above 0; ties together. */
export function likeliest(lists: readonly Float32Array[], least: number): Bits[] {
  const scale = (steps - 1) / Math.max(...lists.map(highestOf), Number.MIN_VALUE);
  const counts = new Uint32Array(steps);
  for (const list of lists) countSteps(list, scale, counts);
  let from = steps;
  for (let count = 0; from > 0 && count < least; count += counts[from] ?? 0) from -= 1;
  return lists.map((list) => placesFrom(list, scale, from));
}

// Loops over numbers: there are as many scores as files.

function highestOf(list: Float32Array): number {
  let highest = 0;
  for (let place = 0; place < list.length; place += 1) highest = Math.max(highest, list[place] ?? 0);
  return highest;
}

function countSteps(list: Float32Array, scale: number, counts: Uint32Array): void {
  for (let place = 0; place < list.length; place += 1) {
    const score = list[place] ?? 0;
    if (score <= 0) continue;
    const step = Math.floor(score * scale);
    counts[step] = (counts[step] ?? 0) + 1;
  }
}

function placesFrom(list: Float32Array, scale: number, from: number): Bits {
  const chosen = new Bits(list.length);
  for (let place = 0; place < list.length; place += 1) {
    const score = list[place] ?? 0;
    if (score > 0 && Math.floor(score * scale) >= from) chosen.add(place);
  }
  return chosen;
}
