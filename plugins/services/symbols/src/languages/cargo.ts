import { posix } from 'node:path';
import type { SourceTree } from '@sextant/contracts';
import { folderOf, joinPath } from '../paths.ts';

/** Most manifests of one repository that are looked at. */
const maxManifests = 500;

/** What Cargo.toml says of a library. */
export interface Crate {
  /** As it stands in code. */
  readonly name: string;
  /** Of its root module. */
  readonly folder: string;
}

/** The crates of a repository, those of a workspace too. */
export async function cratesOf(tree: SourceTree): Promise<readonly Crate[]> {
  const crates: Crate[] = [];
  for (const path of tree.named('Cargo.toml').slice(0, maxManifests))
    crates.push(...cratesIn((await tree.read(path)) ?? '', folderOf(path)));
  return crates;
}

function cratesIn(text: string, folder: string): Crate[] {
  const name = valueIn(text, 'lib', 'name') ?? valueIn(text, 'package', 'name');
  if (name === undefined) return [];
  const root = posix.join(folder, valueIn(text, 'lib', 'path') ?? 'src/lib.rs');
  return [{ name: name.replaceAll('-', '_'), folder: folderOf(root) }];
}

/** A string of a section of TOML. */
function valueIn(text: string, section: string, key: string): string | undefined {
  const [, after = ''] = text.split(new RegExp(String.raw`^\[${section}\][^\n]*$`, 'm'));
  const [inside = ''] = after.split(/^\[/m);
  return new RegExp(String.raw`^\s*${key}\s*=\s*["']([^"'\n]+)["']`, 'm').exec(inside)?.[1];
}

/** The folder of the root module of the crate that a file belongs to. */
export function crateFolderOf(path: string, tree: SourceTree): string {
  for (let folder = folderOf(path); ; folder = folderOf(folder)) {
    if (['lib.rs', 'main.rs'].some((root) => tree.has(joinPath(folder, root)))) return folder;
    if (folder === '') return folderOf(path);
  }
}
