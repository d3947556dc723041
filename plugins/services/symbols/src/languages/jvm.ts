import type { ImportRequest, SourceTree } from '@sextant/contracts';
import { folderOf } from '../paths.ts';

/** Ends of the files whose classes use each other. */
const endings = ['.java', '.kt', '.scala'];
const sourceFolders = ['java', 'kotlin', 'scala'];
const roots = ['', 'src/', ...sourceFolders.flatMap((name) => [`src/main/${name}/`, `app/src/main/${name}/`])];

const isSource = (path: string): boolean => endings.some((ending) => path.endsWith(ending));

/** `com.acme.util.Text`: the file of the class, else those of the package that it may stand in. */
export async function resolveJvmImport({ path, module, name }: ImportRequest, tree: SourceTree): Promise<string[]> {
  const parts = module.replace(/\._$|\.\*$/, '').split('.');
  if (name === '') return packageFiles(path, parts, tree);
  // The class itself, or the class of a static import.
  const named = [parts, parts.slice(0, -1)].flatMap((place) => classFiles(place, tree));
  return named.length > 0 ? named : packageFiles(path, parts.slice(0, -1), tree);
}

function classFiles(parts: readonly string[], tree: SourceTree): string[] {
  return endings.flatMap((ending) => {
    const file = `${parts.join('/')}${ending}`;
    return tree.named(`${parts.at(-1)}${ending}`).filter((found) => found === file || found.endsWith(`/${file}`));
  });
}

function packageFiles(path: string, parts: readonly string[], tree: SourceTree): string[] {
  const own = rootOf(path, parts[0] ?? '');
  const places = own === undefined ? roots : [...sourceRootsLike(own), ...roots];
  return [...new Set(places)].flatMap((root) => tree.inFolder(root + parts.join('/')).filter(isSource));
}

/** The folder in which the packages of a file begin: where the first part of the imported one stands in its path. */
function rootOf(path: string, first: string): string | undefined {
  const at = `/${folderOf(path)}/`.indexOf(`/${first}/`);
  return at < 0 || first === '' ? undefined : path.slice(0, at);
}

/** `src/main/java/` beside `src/main/kotlin/`. */
function sourceRootsLike(root: string): string[] {
  const beside = sourceFolders.map((name) => root.replace(/(^|\/)(java|kotlin|scala)\/$/, `$1${name}/`));
  return [root, ...beside];
}
