import type { ImportRequest, SourceTree } from '@sextant/contracts';
import { LRUCache } from 'lru-cache';
import { folderOf } from '../paths.ts';
import { filesEnding } from './tree-files.ts';

/** Ends of the files whose classes use each other. */
const endings = ['.java', '.kt', '.scala'];
const sourceFolders = ['java', 'kotlin', 'scala'];
const roots = ['', 'src/', ...sourceFolders.flatMap((name) => [`src/main/${name}/`, `app/src/main/${name}/`])];

/** What languages of the JVM have in common. */
export const jvm = {
  family: 'java',
  visibility: 'folder',
  hasBareMembers: true,
  resolveImport: resolveJvmImport,
  namespaces: { of: jvmPackageOf },
} as const;

const isSource = (path: string): boolean => endings.some((ending) => path.endsWith(ending));

/** Cached imports of one commit. All files of a project import the same. */
const rememberedImports = 20_000;

/** `com.acme.util.Text`: the file of the class. If there is none, the files of the package `com.acme.util`. */
export async function resolveJvmImport(request: ImportRequest, tree: SourceTree): Promise<readonly string[]> {
  const resolved = await tree.derived(newMemory);
  const key = [folderOf(request.path), request.module, request.name].join('\0');
  const known = resolved.get(key) ?? resolve(request, tree);
  resolved.set(key, known);
  return known;
}

/** `com.acme.util.Text` is of the package `com.acme.util`. */
export function jvmPackageOf({ module, name }: Pick<ImportRequest, 'module' | 'name'>): string {
  const place = placeIn(module);
  return name !== '' && place.endsWith(`.${name}`) ? place.slice(0, -name.length - 1) : place;
}

/** Without a wildcard, and without the backticks around keywords that are names. */
const placeIn = (module: string): string => module.replaceAll('`', '').replace(/\._$|\.\*$/, '');

const newMemory = async (): Promise<LRUCache<string, string[]>> => new LRUCache({ max: rememberedImports });

function resolve({ path, module, name }: ImportRequest, tree: SourceTree): string[] {
  const parts = placeIn(module).split('.');
  if (name === '') return packageFiles(path, parts, tree);
  const named = placesAround(parts).flatMap((place) => classFiles(place, tree));
  return named.length > 0 ? named : packageFiles(path, parts.slice(0, -1), tree);
}

/** The class itself, or the classes around it or around a member. */
function placesAround(parts: readonly string[]): string[][] {
  const places = parts.map((_, end) => parts.slice(0, parts.length - end));
  return places.filter((place, index) => index < 2 || /^\p{Lu}/u.test(place.at(-1) ?? ''));
}

function classFiles(parts: readonly string[], tree: SourceTree): string[] {
  return endings.flatMap((ending) => filesEnding(tree, `${parts.join('/')}${ending}`));
}

function packageFiles(path: string, parts: readonly string[], tree: SourceTree): string[] {
  const own = rootOf(path, parts[0] ?? '');
  const places = own === undefined ? roots : [...sourceRootsLike(own), ...roots];
  return [...new Set(places)].flatMap((root) => tree.inFolder(root + parts.join('/')).filter(isSource));
}

/** The folder in which the packages of a file begin. There the first part of the imported package stands in the file's path. */
function rootOf(path: string, first: string): string | undefined {
  const at = `/${folderOf(path)}/`.indexOf(`/${first}/`);
  return at < 0 || first === '' ? undefined : path.slice(0, at);
}

/** `src/main/java/` beside `src/main/kotlin/`. */
function sourceRootsLike(root: string): string[] {
  const beside = sourceFolders.map((name) => root.replace(/(^|\/)(java|kotlin|scala)\/$/, `$1${name}/`));
  return [root, ...beside];
}
