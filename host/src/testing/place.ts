import { onTestFinished } from 'vitest';
import { run } from './run-sextant.ts';
import type { Ran } from './run-sextant.ts';
import { scratch } from './scratch.ts';
import type { Scratch } from './scratch.ts';

/** A folder of a test's own, with the command line in it. */
export async function place(): Promise<Scratch & { sextant(...argv: string[]): Promise<Ran> }> {
  const folder = await scratch();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  return { ...folder, sextant: (...argv) => run(argv, { cwd: folder.folder }) };
}
