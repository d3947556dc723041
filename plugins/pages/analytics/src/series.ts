import type { NamedTally } from '@sextant/contracts';

/** Values of one thing over the spans of a period. */
export interface Series {
  readonly name: string;
  /** One for each span. */
  readonly values: readonly number[];
}

/** More would not be told apart by their colours. */
const mostSeries = 5;

/** Calls by name: the names with most calls, then all others together. `dates` are the spans' first days. */
export function callSeries(tallies: readonly NamedTally[], dates: readonly string[], nameless: string): Series[] {
  const byName = Map.groupBy(tallies, ({ name }) => name || nameless);
  const ranked = [...byName].toSorted(([, a], [, b]) => callsOf(b) - callsOf(a));
  const series = ranked.slice(0, mostSeries).map(([name, own]) => ({ name, values: valuesOf(own, dates) }));
  const others = ranked.slice(mostSeries).flatMap(([, own]) => own);
  return others.length === 0 ? series : [...series, { name: 'all others', values: valuesOf(others, dates) }];
}

function valuesOf(tallies: readonly NamedTally[], dates: readonly string[]): number[] {
  const byDate = Map.groupBy(tallies, ({ date }) => date);
  return dates.map((date) => callsOf(byDate.get(date) ?? []));
}

const callsOf = (tallies: readonly NamedTally[]): number => tallies.reduce((sum, { calls }) => sum + calls, 0);
