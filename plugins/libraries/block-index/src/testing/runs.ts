/** Seeded and short by default; BLOCK_INDEX_RUNS=20 runs twenty times as many cases, with new seeds. */
const factor = Number(process.env['BLOCK_INDEX_RUNS'] ?? '1');

export function runs(count: number): { numRuns: number; seed?: number } {
  return factor === 1 ? { numRuns: count, seed: 20_261_121 } : { numRuns: count * factor };
}
