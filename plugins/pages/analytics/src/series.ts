import type { NamedTally } from '@sextant/contracts';

/** Values of one thing over the spans of a period. */
export interface Series {
  readonly name: string;
  /** One for each span. */
  readonly values: readonly number[];
  /** The page narrowed to it. */
  readonly path?: string;
}

/** More would not be told apart by their colours. */
const mostSeries = 5;

export interface Named {
  /** First days of the spans. */
  readonly dates: readonly string[];
  /** Stands for the empty name. */
  readonly nameless: string;
  /** The page narrowed to a name. */
  pathOf(name: string): string;
}

/** Calls by name: the names with most calls, then all others together. */
export function callSeries(tallies: readonly NamedTally[], { dates, nameless, pathOf }: Named): Series[] {
  const byName = Map.groupBy(tallies, ({ name }) => name);
  const ranked = [...byName].toSorted(([, a], [, b]) => callsOf(b) - callsOf(a));
  const series = ranked.slice(0, mostSeries).map(([name, own]) => ({
    name: name || nameless,
    values: valuesOf(own, dates),
    ...(name !== '' && { path: pathOf(name) }),
  }));
  const others = ranked.slice(mostSeries).flatMap(([, own]) => own);
  return others.length === 0 ? series : [...series, { name: 'all others', values: valuesOf(others, dates) }];
}

function valuesOf(tallies: readonly NamedTally[], dates: readonly string[]): number[] {
  const byDate = Map.groupBy(tallies, ({ date }) => date);
  return dates.map((date) => callsOf(byDate.get(date) ?? []));
}

const callsOf = (tallies: readonly NamedTally[]): number => tallies.reduce((sum, { calls }) => sum + calls, 0);
