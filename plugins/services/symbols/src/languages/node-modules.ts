import { posix } from 'node:path';
import type { SourceTree } from '@sextant/contracts';
import { folderOf, foldersAround, joinPath } from '../paths.ts';
import { manifestsIn } from './tree-files.ts';

/** The fields of a package.json that concern imports. */
interface NodePackage {
  readonly folder: string;
  readonly name: string | undefined;
  /** As the file has them; nothing is checked. */
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
  for (const folder of foldersAround(path)) {
    const found = all.find((one) => one.folder === folder);
    if (found) return found;
  }
  return undefined;
}

/** The names of all packages of a repository. */
export async function packageNamesIn(tree: SourceTree): Promise<string[]> {
  return (await tree.derived(readPackages)).flatMap(({ name }) => name ?? []);
}

async function readPackages(tree: SourceTree): Promise<readonly NodePackage[]> {
  const paths = tree.named('package.json').filter((path) => !/(^|\/)node_modules\//.test(path));
  return (await manifestsIn(tree, paths)).map(packageIn);
}

function packageIn({ text, folder }: { readonly text: string; readonly folder: string }): NodePackage {
  const manifest = recordIn(text);
  const textOf = (key: string): string[] => (typeof manifest[key] === 'string' ? [manifest[key]] : []);
  const [name] = textOf('name');
  const main = ['source', 'module', 'main', 'types'].flatMap(textOf);
  return { folder, name, exports: manifest['exports'], imports: manifest['imports'], main };
}

/** A JSON object. Empty for any other text. */
export function recordIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

/** The same of JSON with comments and trailing commas. */
function recordWithComments(text: string): Readonly<Record<string, unknown>> {
  const bare = text.replaceAll(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[^]*?\*\//g, (part) =>
    part[0] === '"' ? part : ' ',
  );
  return recordIn(bare.replaceAll(/("(?:[^"\\\n]|\\.)*")|,(?=\s*[}\]])/g, '$1'));
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A text, or those of a list. */
export const textsIn = (value: unknown): string[] => [value].flat().filter((one) => typeof one === 'string');

/** Most levels of nested conditions. */
const deepestConditions = 8;
/** Folders of built files, and those of their sources. */
const built = /^(dist|lib|build|out|es|esm|cjs|types)\//;
const sources = ['src/', ''];

/**
 * Finds the files for a subpath of a package (`.`, `./text`) or for one of its own names (`#text`), by `exports` and
 * `imports` of its package.json (https://nodejs.org/api/packages.html). Sources come first. No extension is added.
 */
export function filesNamed({ folder, exports, imports, main }: NodePackage, name: string): string[] {
  const table = name.startsWith('#') ? imports : exports;
  const targets = targetsOf(table, name);
  const files = targets.length > 0 || name !== '.' ? targets : main;
  const inside = files.filter((file) => !file.startsWith('#') && !/(^|\/)\.\.\//.test(file));
  return [...new Set(inside.flatMap(withSources))].map((file) => posix.normalize(joinPath(folder, file)));
}

/** The source comes before the built file, which is rarely in the repository. */
function withSources(file: string): string[] {
  const bare = file.replace(/^\.\//, '');
  const source = bare.replace(built, '');
  return source === bare ? [bare] : [...sources.map((from) => `${from}${source}`), bare];
}

function targetsOf(table: unknown, name: string): string[] {
  if (!isRecord(table) || !Object.keys(table).some((key) => /^[.#]/.test(key)))
    return name === '.' ? filesOf(table, deepestConditions) : [];
  if (name in table) return filesOf(table[name], deepestConditions);
  for (const [pattern, target] of patternsOf(table)) {
    const rest = wildcardOf(pattern, name);
    if (rest !== undefined) return filesOf(target, deepestConditions).map((file) => file.replaceAll('*', () => rest));
  }
  return [];
}

/** The longest pattern decides. */
const patternsOf = (table: Readonly<Record<string, unknown>>): [string, unknown][] =>
  Object.entries(table)
    .filter(([key]) => key.includes('*'))
    .toSorted(([a], [b]) => b.indexOf('*') - a.indexOf('*'));

/** Files under any condition. A condition with `source` in its name comes first. */
function filesOf(target: unknown, depth: number): string[] {
  if (typeof target === 'string') return [target];
  if (depth === 0) return [];
  if (Array.isArray(target)) return target.flatMap((one) => filesOf(one, depth - 1));
  if (!isRecord(target)) return [];
  const conditions = Object.entries(target).toSorted(([a], [b]) => Number(/source/.test(b)) - Number(/source/.test(a)));
  return conditions.flatMap(([, one]) => filesOf(one, depth - 1));
}

/** The settings of tsconfig.json that say where modules are. Folders are relative to the root of the repository. */
interface Mapping {
  /** The folder of modules that are imported without a relative path. */
  readonly baseUrl: string | undefined;
  readonly paths: readonly (readonly [pattern: string, targets: readonly string[]])[];
  /** Folders that are one as far as relative imports are concerned. */
  readonly rootDirs: readonly string[];
}

const fileNames = ['tsconfig.json', 'tsconfig.base.json', 'jsconfig.json'];
/** Most files that extend each other. */
const longestExtends = 10;
const empty: Mapping = { baseUrl: undefined, paths: [], rootDirs: [] };

/** Where a module is, as `paths` and `baseUrl` of the nearest tsconfig.json (or jsconfig.json) say. No extension is added. */
export async function mappedPaths(
  { path, module }: { readonly path: string; readonly module: string },
  tree: SourceTree,
): Promise<string[]> {
  const { paths, baseUrl } = await mappingFor(path, tree);
  const mapped = paths.flatMap(([pattern, targets]) => {
    const rest = wildcardOf(pattern, module);
    return rest === undefined ? [] : targets.map((target) => target.replace('*', () => rest));
  });
  return baseUrl === undefined ? mapped : [...mapped, joinPath(baseUrl, module)];
}

/** Other places of a relative import, by `rootDirs`. */
export async function besidePaths(
  { path, place }: { readonly path: string; readonly place: string },
  tree: SourceTree,
): Promise<string[]> {
  const { rootDirs } = await mappingFor(path, tree);
  const root = rootDirs.find((folder) => place.startsWith(`${folder}/`));
  if (root === undefined) return [];
  return rootDirs.filter((folder) => folder !== root).map((folder) => folder + place.slice(root.length));
}

/** What stands for the `*` of a pattern. Empty for a name without one that is the pattern. */
function wildcardOf(pattern: string, module: string): string | undefined {
  const [before = '', after] = pattern.split('*');
  if (after === undefined) return pattern === module ? '' : undefined;
  const fits = module.startsWith(before) && module.endsWith(after) && module.length >= before.length + after.length;
  return fits ? module.slice(before.length, module.length - after.length) : undefined;
}

/** The settings of the nearest file that has any of them. */
async function mappingFor(path: string, tree: SourceTree): Promise<Mapping> {
  for (const folder of foldersAround(path)) {
    const mapping = await mappingIn(folder, tree);
    if (mapping) return mapping;
  }
  return empty;
}

async function mappingIn(folder: string, tree: SourceTree): Promise<Mapping | undefined> {
  const folders = await tree.derived(newMemory);
  if (!folders.has(folder)) folders.set(folder, await findMapping(folder, tree));
  return folders.get(folder);
}

const newMemory = async (): Promise<Map<string, Mapping | undefined>> => new Map();

async function findMapping(folder: string, tree: SourceTree): Promise<Mapping | undefined> {
  for (const name of fileNames) {
    const { baseUrl, paths, rootDirs } = await readMapping(joinPath(folder, name), tree, longestExtends);
    if (baseUrl !== undefined || paths.length + rootDirs.length > 0) return { baseUrl, paths, rootDirs };
  }
  return undefined;
}

/** The settings of a file and of those that it extends. Its own come first. */
async function readMapping(file: string, tree: SourceTree, depth: number): Promise<Mapping> {
  const text = depth > 0 && tree.has(file) ? await tree.read(file) : undefined;
  if (text === undefined) return empty;
  const config = recordWithComments(text);
  const folder = folderOf(file);
  let inherited = empty;
  for (const base of textsIn(config['extends'])) {
    const above = await extendedFile(base, folder, tree);
    const said = above === undefined ? empty : await readMapping(above, tree, depth - 1);
    inherited = merged(said, inherited);
  }
  const options = config['compilerOptions'];
  return merged(isRecord(options) ? mappingOf(options, folder, inherited.baseUrl) : empty, inherited);
}

const merged = (own: Mapping, above: Mapping): Mapping => ({
  baseUrl: own.baseUrl ?? above.baseUrl,
  paths: own.paths.length > 0 ? own.paths : above.paths,
  rootDirs: own.rootDirs.length > 0 ? own.rootDirs : above.rootDirs,
});

/** A path, or a file of a package of the same repository. */
async function extendedFile(base: string, folder: string, tree: SourceTree): Promise<string | undefined> {
  const isPath = /^\.{0,2}\//.test(base) || base === '..';
  const home = isPath ? folder : (await packageNamed(packageNameOf(base), tree))?.folder;
  if (home === undefined) return undefined;
  const below = isPath ? base : base.slice(packageNameOf(base).length + 1);
  const place = posix.join(home, below);
  return [place, `${place}.json`, joinPath(place, 'tsconfig.json')].find((file) => tree.has(file));
}

function mappingOf(options: Readonly<Record<string, unknown>>, folder: string, above: string | undefined): Mapping {
  const place = (path: string): string => posix.join(folder, path).replace(/^\.$|\/$/, '');
  const baseUrl = typeof options['baseUrl'] === 'string' ? place(options['baseUrl']) : undefined;
  const start = baseUrl ?? above ?? folder;
  const paths = isRecord(options['paths']) ? Object.entries(options['paths']) : [];
  return {
    baseUrl,
    paths: paths.map(([pattern, targets]) => [pattern, textsIn(targets).map((target) => posix.join(start, target))]),
    rootDirs: textsIn(options['rootDirs']).map(place),
  };
}
