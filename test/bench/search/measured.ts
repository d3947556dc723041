/** What an engine answers with, and how long it says that it took itself, in milliseconds. */
export interface Answer {
  readonly files: number;
  readonly lines: number;
  readonly ownMs?: number;
}

export type Ask = () => Promise<Answer>;

export interface Timed {
  readonly answer: Answer;
  /** Of the first call. */
  readonly first: number;
  /** Of the others, ascending. */
  readonly times: readonly number[];
  readonly own: readonly number[];
}

/** Milliseconds that a query is repeated for. */
export const budgetMs = Number(process.env['BENCH_SECONDS'] ?? 1) * 1000;
const repetitions = { least: 3, most: 300 };
/** What takes this long is asked once. */
const slowMs = 2000;

/** Asks several engines in turn, and then each alone: one takes the processor's cache from the other. Of each the faster run is told. */
export async function inTurnAndAlone(asks: readonly Ask[]): Promise<Timed[]> {
  const together = await inTurn(asks);
  const fastest: Timed[] = [];
  for (const [at, ask] of asks.entries()) {
    const timed = together[at];
    if (!timed) continue;
    const [alone] = timed.first > slowMs ? [] : await inTurn([ask]);
    fastest.push(alone ? faster(timed, alone) : timed);
  }
  return fastest;
}

const faster = (one: Timed, other: Timed): Timed => ({
  ...one,
  times: median(other.times) < median(one.times) ? other.times : one.times,
  own: median(other.own) < median(one.own) ? other.own : one.own,
});

/** Asks several engines in turn, so that what else happens on the machine happens to all. */
async function inTurn(asks: readonly Ask[]): Promise<Timed[]> {
  const runs = asks.map((ask) => ({ ask, all: [] as { ms: number; answer: Answer }[] }));
  for (const run of runs) run.all.push(await timed(run.ask));
  const begun = performance.now();
  for (let round = 0; isGoingOn(round, performance.now() - begun); round += 1)
    for (const { ask, all } of runs) {
      const isSlow = (all.at(-1)?.ms ?? 0) > slowMs;
      if (!isSlow) all.push(await timed(ask));
    }
  return runs.map(({ all }) => summary(all));
}

const isGoingOn = (round: number, ms: number): boolean =>
  round < repetitions.least || (ms < budgetMs && round < repetitions.most);

async function timed(ask: Ask): Promise<{ ms: number; answer: Answer }> {
  const begun = performance.now();
  const answer = await ask();
  return { ms: performance.now() - begun, answer };
}

function summary(all: readonly { ms: number; answer: Answer }[]): Timed {
  const [first, ...others] = all;
  if (!first) throw new Error('nothing was measured');
  const warm = others.length > 0 ? others : all;
  const ascending = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);
  return {
    answer: first.answer,
    first: first.ms,
    times: ascending(warm.map(({ ms }) => ms)),
    own: ascending(warm.flatMap(({ answer }) => answer.ownMs ?? [])),
  };
}

export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}

export const median = (sorted: readonly number[]): number => percentile(sorted, 0.5);

export const show = (value: number | undefined): string =>
  value === undefined || Number.isNaN(value) ? '–' : value >= 100 ? String(Math.round(value)) : value.toPrecision(2);

export const ratio = (other: number | undefined, own: number): string =>
  other === undefined || Number.isNaN(other) ? '–' : `${show(other / own)}×`;

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

export function printRow(cells: readonly string[]): void {
  print(`| ${cells.join(' | ')} |`);
}

export function printHead(cells: readonly string[]): void {
  printRow(cells);
  print(`|${'---|'.repeat(cells.length)}`);
}
