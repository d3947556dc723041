import { posix } from 'node:path';
import type { ImportRequest, PackageManifest, SourceTree } from '@sextant/contracts';
import { folderOf } from '../paths.ts';
import { isRecord, recordIn } from './node-packages.ts';

/** Most manifests of one repository that are looked at. */
const maxManifests = 500;

/** What composer.json says of where classes and functions are. */
interface Autoload {
  /** Folders by the namespace, with the backslash at its end, whose classes they have; the longest first. */
  readonly roots: readonly { readonly namespace: string; readonly folder: string }[];
  /** Files that are always loaded. */
  readonly files: readonly string[];
}

export async function resolvePhpImport({ module, name }: ImportRequest, tree: SourceTree): Promise<string[]> {
  const { roots, files } = await tree.derived(autoloadOf);
  const used = qualified(module, name);
  const around = roots.filter(({ namespace }) => used.startsWith(namespace));
  const classes = around.map(({ namespace, folder }) => {
    return posix.join(folder, `${used.slice(namespace.length).replaceAll('\\', '/')}.php`);
  });
  return [...classes, ...(around.length > 0 ? files : [])].filter((path) => tree.has(path));
}

/** `Acme\Shop\Item` is of the namespace `Acme\Shop`. */
export function phpNamespaceOf({ module, name }: Pick<ImportRequest, 'module' | 'name'>): string {
  const used = qualified(module, name);
  return name === '' ? used : used.split('\\').slice(0, -1).join('\\');
}

/** The namespaces of a repository. */
export async function phpNamespaces(tree: SourceTree): Promise<string[]> {
  return (await tree.derived(autoloadOf)).roots.map(({ namespace }) => namespace);
}

/** The namespaces around an imported name as composer.json writes them, the longest first. */
export function phpManifests(module: string): PackageManifest[] {
  const parts = qualified(module, '').split('\\').slice(0, -1);
  const namespaces = parts.map((_, end) => parts.slice(0, parts.length - end));
  return namespaces.map((names) => ({ file: 'composer.json', text: `"${names.join('\\\\')}\\\\"` }));
}

/** The whole name of what a `use` imports, of one with a group the part of a name. */
function qualified(module: string, name: string): string {
  const group = /^use\s+(?:(?:function|const)\s+)?\\?([\w\\]+)\\\{([^}]*)\}/.exec(module);
  if (!group) return module.replace(/^\\/, '');
  const [, around = '', inside = ''] = group;
  const items = inside.split(',').map((item) =>
    item
      .trim()
      .replace(/^(function|const)\s+/, '')
      .replace(/\s+as\s.*$/s, ''),
  );
  return `${around}\\${items.find((item) => item.split('\\').at(-1) === name) ?? name}`;
}

async function autoloadOf(tree: SourceTree): Promise<Autoload> {
  const all: Autoload[] = [];
  for (const path of tree.named('composer.json').slice(0, maxManifests)) {
    const manifest = recordIn((await tree.read(path)) ?? '');
    all.push(...['autoload', 'autoload-dev'].map((key) => autoloadIn(manifest[key], folderOf(path))));
  }
  const roots = all.flatMap((one) => one.roots).toSorted((a, b) => b.namespace.length - a.namespace.length);
  return { roots, files: all.flatMap(({ files }) => files) };
}

function autoloadIn(autoload: unknown, base: string): Autoload {
  if (!isRecord(autoload)) return { roots: [], files: [] };
  const mapped = isRecord(autoload['psr-4']) ? Object.entries(autoload['psr-4']) : [];
  const roots = mapped.flatMap(([namespace, folders]) =>
    textsIn(folders).map((folder) => ({ namespace, folder: posix.join(base, folder) })),
  );
  return { roots, files: textsIn(autoload['files']).map((file) => posix.join(base, file)) };
}

const textsIn = (value: unknown): string[] => [value].flat().filter((one) => typeof one === 'string');
