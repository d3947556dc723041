import type { Started } from '../../support/processes.ts';
import { literally } from './cases.ts';
import type { SearchCase } from './cases.ts';
import type { Library } from './library.ts';
import { print } from './measured.ts';
import { searchZoekt } from './zoekt.ts';

const shown = 5;

/** Which files only one of the two finds; each repository alone, because an answer has no more than 10,000 files. */
export async function compareSets(
  { library, zoekt }: { library: Library; zoekt: Started },
  each: SearchCase,
  repositories: readonly string[],
): Promise<void> {
  const [ours, theirs] = [new Set<string>(), new Set<string>()];
  for (const repo of repositories) {
    const only = `^${literally(repo)}$`;
    for (const path of await library.paths(`(${each.query}) repo:${only}`)) ours.add(path);
    const { Files } = await searchZoekt(zoekt, `${each.zoekt} repo:"${only.replaceAll('\\', '\\\\')}"`);
    for (const { Repository, FileName } of Files ?? []) theirs.add(`${Repository}/${FileName}`);
  }
  print(`${each.name}: ${ours.size} files here, ${theirs.size} in zoekt`);
  for (const [name, all, others] of [
    ['here', ours, theirs],
    ['in zoekt', theirs, ours],
  ] as const) {
    const alone = [...all].filter((path) => !others.has(path));
    if (alone.length > 0) print(`  ${alone.length} only ${name}: ${alone.slice(0, shown).join(', ')}`);
  }
}
