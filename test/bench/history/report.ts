/** A line of the table. */
export function print(name: string, value: string): void {
  process.stdout.write(`| ${name} | ${value} |\n`);
}

export async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const result = await work();
  print(name, `${((performance.now() - began) / 1000).toFixed(1)} s`);
  return result;
}

/** Half of all take no longer than p50. */
export function shares(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1);
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`;
}
