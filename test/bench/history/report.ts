import { readFileSync } from 'node:fs';

/** A line of the table. */
export function print(name: string, value: string): void {
  process.stdout.write(`| ${name} | ${value} |\n`);
}

/** Prints how long it took, and the processor time of this process and of those that it started. */
export async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
  const [began, processor] = [performance.now(), processorSeconds()];
  const result = await work();
  const used = `processor ${(processorSeconds() - processor).toFixed(1)} s`;
  print(name, `${((performance.now() - began) / 1000).toFixed(1)} s, ${used}`);
  return result;
}

/** Of this process and of its children that have ended, in Linux' hundredths of a second. */
function processorSeconds(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) / 100;
}

/** Half of all take no longer than p50. */
export function shares(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1);
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`;
}
