import type { PastTask } from './past-tasks.ts';

/** What one ranking gave for one task. */
export interface Ranked {
  /** The best first, each once. */
  readonly paths: readonly string[];
  /** In the order in which a reader would open them; empty where a ranking gives files alone. */
  readonly ranges: readonly { readonly path: string; readonly startLine: number; readonly endLine: number }[];
  readonly ms: number;
}

export interface Measured {
  readonly recallAt5: number;
  readonly recallAt10: number;
  readonly reciprocalRank: number;
  /** Share of the changed hunks of which at least half lies in the first lines of the ranges; undefined without ranges. */
  readonly hunks: number | undefined;
  readonly ms: number;
}

const mostLines = 500;

export function measure({ files }: PastTask, { paths, ranges, ms }: Ranked): Measured {
  const ranks = files.flatMap(({ path }) => (paths.includes(path) ? [paths.indexOf(path) + 1] : []));
  const recall = (most: number): number => ranks.filter((rank) => rank <= most).length / files.length;
  return {
    recallAt5: recall(5),
    recallAt10: recall(10),
    reciprocalRank: ranks.length > 0 ? 1 / Math.min(...ranks) : 0,
    hunks: ranges.length > 0 ? coveredHunks(files, ranges) : undefined,
    ms,
  };
}

function coveredHunks(files: PastTask['files'], ranges: Ranked['ranges']): number {
  let left = mostLines;
  const shown = ranges.flatMap(({ path, startLine, endLine }) => {
    const lines = Math.min(left, endLine - startLine + 1);
    left -= lines;
    return lines > 0 ? [{ path, start: startLine, end: startLine + lines - 1 }] : [];
  });
  const hunks = files.flatMap(({ path, hunks }) => hunks.map((hunk) => ({ path, ...hunk })));
  const covered = hunks.filter((hunk) => {
    const same = shown.filter(({ path }) => path === hunk.path);
    const lines = same.map(({ start, end }) => Math.max(0, Math.min(end, hunk.end) - Math.max(start, hunk.start) + 1));
    return lines.reduce((sum, count) => sum + count, 0) * 2 >= hunk.end - hunk.start + 1;
  });
  return hunks.length === 0 ? 0 : covered.length / hunks.length;
}

/** A row: the mean of each measure in percent, and times at the half and the 95th percentile. */
export function rowOf(measured: readonly Measured[]): string[] {
  const mean = (value: (each: Measured) => number): string =>
    ((100 * measured.reduce((sum, each) => sum + value(each), 0)) / Math.max(1, measured.length)).toFixed(0);
  const times = measured.map(({ ms }) => ms).sort((a, b) => a - b);
  const at = (share: number): string => (times[Math.floor((times.length - 1) * share)] ?? 0).toFixed(0);
  return [
    mean(({ recallAt5 }) => recallAt5),
    mean(({ recallAt10 }) => recallAt10),
    mean(({ reciprocalRank }) => reciprocalRank),
    measured.some(({ hunks }) => hunks !== undefined) ? mean(({ hunks }) => hunks ?? 0) : '',
    at(0.5),
    at(0.95),
  ];
}
