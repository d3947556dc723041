import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';

/** Prints what is wrong with the types of tarballs, as JSON by file. A process of its own: vitest would resolve the checker's sources. */
const found: Record<string, unknown[]> = {};
for (const file of process.argv.slice(2)) {
  const result = await checkPackage(createPackageFromTarballData(readFileSync(file)));
  // Packages of modules alone: Node requires them since 22.12, and nobody resolves them as Node 10 did.
  found[basename(file)] = ('problems' in result ? result.problems : ['it has no types']).filter(
    (problem) =>
      typeof problem === 'string' || !('resolutionKind' in problem && /^node1(0|6-cjs)$/.test(problem.resolutionKind)),
  );
}
process.stdout.write(JSON.stringify(found));
