import { Bits } from './bits.ts';

const steps = 1024;

/** The places of about the highest scores of several lists, at least `least` of them if so many are above 0; ties together. */
export function likeliest(lists: readonly Float32Array[], least: number): Bits[] {
  let highest = 0;
  for (const list of lists) for (const score of list) if (score > highest) highest = score;
  const stepOf = (score: number): number => Math.min(steps - 1, Math.floor((score / highest) * steps));
  const counts = new Uint32Array(steps);
  for (const list of lists)
    for (const score of list) if (score > 0) counts[stepOf(score)] = (counts[stepOf(score)] ?? 0) + 1;
  let from = steps;
  for (let count = 0; from > 0 && count < least; count += counts[from] ?? 0) from -= 1;
  return lists.map((list) => {
    const chosen = new Bits(list.length);
    for (let place = 0; place < list.length; place += 1) {
      const score = list[place] ?? 0;
      if (score > 0 && stepOf(score) >= from) chosen.add(place);
    }
    return chosen;
  });
}
