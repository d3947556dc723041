import type { SourceTree } from '@sextant/contracts';
import { folderOf } from '../paths.ts';

/** Most manifests of one repository that are looked at. */
const maxManifests = 500;

/** `@acme/util` of `@acme/util/src/text`. */
export const packageNameOf = (module: string): string =>
  module
    .split('/')
    .slice(0, module.startsWith('@') ? 2 : 1)
    .join('/');

/** The folder of a package of the same repository. */
export async function packageFolder(name: string, tree: SourceTree): Promise<string | undefined> {
  return (await tree.derived(readPackages)).get(name);
}

/** The names of all packages of a repository. */
export async function packageNamesIn(tree: SourceTree): Promise<string[]> {
  return [...(await tree.derived(readPackages)).keys()];
}

async function readPackages(tree: SourceTree): Promise<ReadonlyMap<string, string>> {
  const folders = new Map<string, string>();
  const paths = tree.named('package.json').filter((path) => !/(^|\/)node_modules\//.test(path));
  for (const path of paths.slice(0, maxManifests)) {
    const name = /"name"\s*:\s*"([^"]+)"/.exec((await tree.read(path)) ?? '')?.[1];
    if (name !== undefined && !folders.has(name)) folders.set(name, folderOf(path));
  }
  return folders;
}
