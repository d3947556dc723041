import type { ImportRequest, PackageManifest, SourceTree } from '@sextant/contracts';
import { folderOf, joinPath } from '../paths.ts';
import { crateFolderOf, cratesOf } from './cargo.ts';
import { usedPaths } from './rust-paths.ts';

const ownRoots = ['crate', 'self', 'super'];
const shipped = ['std', 'core', 'alloc'];

/** The files of the module that a name is taken from, then those of the module that the name may be. */
export async function resolveRustImport({ path, module, name }: ImportRequest, tree: SourceTree): Promise<string[]> {
  const declared = /\bmod\s+(\w+);$/.exec(module)?.[1];
  if (declared !== undefined) return declaredFiles(path, declared, tree);
  const used = usedPaths(module).filter((parts) => parts.at(-1) === (name === '' ? '*' : name));
  const found = await Promise.all(used.map((parts) => filesOf(path, parts, tree)));
  return [...new Set(found.flat())];
}

/** The names that the crates of an import may have in their manifests. */
export function rustManifests(module: string): PackageManifest[] {
  const crates = new Set(usedPaths(module).map(([first = '']) => first));
  const foreign = [...crates].filter((name) => name !== '' && ![...ownRoots, ...shipped].includes(name));
  const names = foreign.flatMap((name) => [...new Set([name.replaceAll('_', '-'), name])]);
  return names.map((name) => ({ file: 'Cargo.toml', text: `name = "${name}"` }));
}

function declaredFiles(path: string, name: string, tree: SourceTree): string[] {
  // The roots of tests and examples have their modules beside them.
  const places = new Set([moduleOf(path), folderOf(path)]);
  return [...places].flatMap((folder) => moduleFiles(joinPath(folder, name), tree));
}

async function filesOf(path: string, parts: readonly string[], tree: SourceTree): Promise<string[]> {
  const [first = '', ...others] = parts;
  const start = await startOf(path, first, tree);
  if (start === undefined) return [];
  const ups = others.findIndex((part) => part !== 'super');
  const below = others.slice(Math.max(0, ups));
  let base = start;
  for (let up = 0; up < ups; up += 1) base = folderOf(base);
  const place = joined(base, below.slice(0, -1));
  const whole = below.at(-1) === '*' ? [] : moduleFiles(joined(base, below), tree);
  return [...nearestFiles(place, base, tree), ...whole];
}

/** The module that the first part of a path means; undefined for a crate of another repository. */
async function startOf(path: string, first: string, tree: SourceTree): Promise<string | undefined> {
  if (first === 'crate') return crateFolderOf(path, tree);
  if (first === 'self') return moduleOf(path);
  if (first === 'super') return folderOf(moduleOf(path));
  const beside = joinPath(moduleOf(path), first);
  if (moduleFiles(beside, tree).length > 0) return beside;
  return (await tree.derived(cratesOf)).find(({ name }) => name === first)?.folder;
}

/** The folder in which the modules of a file lie. */
const moduleOf = (path: string): string =>
  /(^|\/)(mod|lib|main)\.rs$/.test(path) ? folderOf(path) : path.replace(/\.rs$/, '');

const joined = (base: string, parts: readonly string[]): string => [base, ...parts].filter(Boolean).join('/');

function moduleFiles(module: string, tree: SourceTree): string[] {
  const inside = ['mod.rs', 'lib.rs', 'main.rs'].map((file) => joinPath(module, file));
  return [`${module}.rs`, ...inside].filter((path) => tree.has(path));
}

/** Those of a module, else of the one around it: what stands in a file may be a module or an enum. */
function nearestFiles(place: string, base: string, tree: SourceTree): string[] {
  const found = moduleFiles(place, tree);
  return found.length > 0 || place === base || place === '' ? found : nearestFiles(folderOf(place), base, tree);
}
