import type { SourceTree } from '@sextant/contracts';
import { folderOf } from '../paths.ts';

/** Most manifests of one repository that are looked at. */
const maxManifests = 500;

/** A package.json as far as imports are concerned. */
export interface NodePackage {
  readonly folder: string;
  readonly name: string | undefined;
  /** Files by conditions, by subpaths; whatever the file has. */
  readonly exports: unknown;
  readonly imports: unknown;
  readonly main: readonly string[];
}

/** `@acme/util` of `@acme/util/src/text`. */
export const packageNameOf = (module: string): string =>
  module
    .split('/')
    .slice(0, module.startsWith('@') ? 2 : 1)
    .join('/');

/** A package of the same repository. */
export async function packageNamed(name: string, tree: SourceTree): Promise<NodePackage | undefined> {
  return (await tree.derived(readPackages)).find((one) => one.name === name);
}

/** The package that a file belongs to. */
export async function packageAround(path: string, tree: SourceTree): Promise<NodePackage | undefined> {
  const all = await tree.derived(readPackages);
  for (let folder = folderOf(path); ; folder = folderOf(folder)) {
    const found = all.find((one) => one.folder === folder);
    if (found || folder === '') return found;
  }
}

/** The names of all packages of a repository. */
export async function packageNamesIn(tree: SourceTree): Promise<string[]> {
  return (await tree.derived(readPackages)).flatMap(({ name }) => name ?? []);
}

async function readPackages(tree: SourceTree): Promise<readonly NodePackage[]> {
  const paths = tree.named('package.json').filter((path) => !/(^|\/)node_modules\//.test(path));
  const packages: NodePackage[] = [];
  for (const path of paths.slice(0, maxManifests))
    packages.push(packageIn((await tree.read(path)) ?? '', folderOf(path)));
  return packages;
}

function packageIn(text: string, folder: string): NodePackage {
  const manifest = recordIn(text);
  const textOf = (key: string): string[] => (typeof manifest[key] === 'string' ? [manifest[key]] : []);
  const [name] = textOf('name');
  const main = ['source', 'module', 'main', 'types'].flatMap(textOf);
  return { folder, name, exports: manifest['exports'], imports: manifest['imports'], main };
}

/** What is no JSON says nothing. */
export function recordIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
