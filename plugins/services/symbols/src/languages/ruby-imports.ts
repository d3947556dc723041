import { posix } from 'node:path';
import type { ImportRequest, PackageManifest, SourceTree } from '@sextant/contracts';
import { folderOf } from '../paths.ts';

/** The source of an import is the whole call: `require_relative 'shop/store'`. */
const call = /^(\w+)[\s(]+["']([^"']+)["']/;

/** The file beside the one that requires it, else every one below a `lib`. */
export async function resolveRubyImport({ path, module }: ImportRequest, tree: SourceTree): Promise<string[]> {
  const [, method, place = ''] = call.exec(module) ?? [];
  const file = place.endsWith('.rb') ? place : `${place}.rb`;
  if (method === 'require_relative') return [posix.join(folderOf(path), file)].filter((one) => tree.has(one));
  const below = `lib/${file}`;
  const found = tree.named(posix.basename(file));
  return found.filter((one) => one === below || one.endsWith(`/${below}`));
}

/** The gems that lie at the root, and the paths under which they are required. */
export async function gemsOf(tree: SourceTree): Promise<string[]> {
  const gems = tree.inFolder('').flatMap((path) => /^(.+)\.gemspec$/.exec(path)?.[1] ?? []);
  return [...new Set(gems.flatMap((gem) => [gem, gem.replaceAll('-', '/')]))];
}

/** `shop/store` is in the gem `shop-store` or in `shop`. */
export function gemManifests(module: string): PackageManifest[] {
  const [, method, place = ''] = call.exec(module) ?? [];
  if (method !== 'require' || place.startsWith('.')) return [];
  const parts = place.split('/');
  const gems = parts.map((_, end) => parts.slice(0, parts.length - end).join('-'));
  return gems.map((gem) => ({ file: `${gem}.gemspec`, text: 'Gem::Specification' }));
}
