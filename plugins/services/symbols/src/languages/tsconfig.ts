import { posix } from 'node:path';
import type { SourceTree } from '@sextant/contracts';
import { folderOf, joinPath } from '../paths.ts';

interface Mapping {
  /** The folder that the targets start from. */
  readonly base: string;
  readonly paths: Readonly<Record<string, readonly string[]>>;
}

/** Where `paths` of the nearest tsconfig.json (or jsconfig.json) says that a module is; no extension is added. */
export async function mappedPaths(
  { path, module }: { path: string; module: string },
  tree: SourceTree,
): Promise<string[]> {
  const mapping = await mappingOf(path, tree);
  if (!mapping) return [];
  return Object.entries(mapping.paths).flatMap(([pattern, targets]) => {
    const rest = wildcardOf(pattern, module);
    if (rest === undefined) return [];
    return targets.map((target) =>
      posix.join(
        mapping.base,
        target.replace('*', () => rest),
      ),
    );
  });
}

function wildcardOf(pattern: string, module: string): string | undefined {
  const [before = '', after] = pattern.split('*');
  if (after === undefined) return pattern === module ? '' : undefined;
  const fits = module.startsWith(before) && module.endsWith(after) && module.length >= before.length + after.length;
  return fits ? module.slice(before.length, module.length - after.length) : undefined;
}

async function mappingOf(path: string, tree: SourceTree): Promise<Mapping | undefined> {
  for (let folder = folderOf(path); ; folder = folderOf(folder)) {
    for (const name of ['tsconfig.json', 'tsconfig.base.json', 'jsconfig.json']) {
      const file = joinPath(folder, name);
      const mapping = tree.has(file) && readMapping((await tree.read(file)) ?? '', folder);
      if (mapping) return mapping;
    }
    if (folder === '') return undefined;
  }
}

/** Takes `baseUrl` and `paths` out of text that is JSON but for comments and commas at ends. */
function readMapping(text: string, folder: string): Mapping | undefined {
  const paths = /"paths"\s*:\s*(\{[^{}]*\})/.exec(text)?.[1];
  if (paths === undefined) return undefined;
  const base = posix.join(folder, /"baseUrl"\s*:\s*"([^"]*)"/.exec(text)?.[1] ?? '.');
  const entries = [...paths.matchAll(/"([^"]+)"\s*:\s*\[([^\]]*)\]/g)].map(([, pattern = '', targets = '']) => [
    pattern,
    [...targets.matchAll(/"([^"]+)"/g)].map(([, target = '']) => target),
  ]);
  return { base: base === '.' ? '' : base, paths: Object.fromEntries(entries) };
}
