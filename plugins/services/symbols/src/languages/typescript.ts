import { posix } from 'node:path';
import type { ImportRequest, Language, SourceTree } from '@sextant/contracts';
import { folderOf, joinPath } from '../paths.ts';
import { grammarURL } from './grammar.ts';
import { packageAround, packageNameOf, packageNamed, packageNamesIn } from './node-packages.ts';
import { filesNamed } from './package-exports.ts';
import { besidePaths, mappedPaths } from './tsconfig.ts';
import { javascriptQuery, tsxQuery, typescriptQuery } from './typescript-query.ts';

const endings: readonly string[] = ['.ts', '.tsx', '.d.ts', '.js', '.jsx', '.mts', '.cts', '.mjs', '.cjs'];
/** Who writes JavaScript runs what declarations only describe. */
const endingsForScripts = [...endings.filter((ending) => ending !== '.d.ts'), '.d.ts'];

function filesOf(place: string, wanted: readonly string[], tree: SourceTree): string[] {
  const bare = place.replace(/\.[cm]?[jt]sx?$/, '');
  // The source before what is written of it, where both have the name.
  const named = wanted.map((ending) => bare + ending);
  const all = [...(place === bare ? [] : [place]), ...named, ...wanted.map((ending) => place + ending)];
  const inside = wanted.map((ending) => joinPath(place, `index${ending}`));
  return [...new Set([...all, ...inside])].filter((path) => tree.has(path));
}

async function resolveImport({ path, module }: ImportRequest, tree: SourceTree): Promise<readonly string[]> {
  const wanted = /\.[cm]?jsx?$/.test(path) ? endingsForScripts : endings;
  for (const place of await placesOf({ path, module }, tree)) {
    const found = filesOf(place, wanted, tree);
    if (found.length > 0) return found;
  }
  return [];
}

/** Where a module may be, the likeliest first; no extension is added. */
async function placesOf(
  request: { readonly path: string; readonly module: string },
  tree: SourceTree,
): Promise<string[]> {
  const { path, module } = request;
  if (/^\.{1,2}(\/|$)/.test(module)) {
    const place = posix.join(folderOf(path), module).replace(/\/$|^\.$/, '');
    return place.startsWith('..') ? [] : [place, ...(await besidePaths({ path, place }, tree))];
  }
  const mapped = await mappedPaths(request, tree);
  const name = packageNameOf(module);
  const own = module.startsWith('#') ? await packageAround(path, tree) : await packageNamed(name, tree);
  if (!own) return mapped;
  if (module.startsWith('#')) return [...mapped, ...filesNamed(own, module)];
  const below = module.slice(name.length + 1);
  const usual = below === '' ? ['src/index', 'index', 'src/main', 'lib/index'] : [below, `src/${below}`];
  const said = filesNamed(own, below === '' ? '.' : `./${below}`);
  return [...mapped, ...said, ...usual.map((place) => joinPath(own.folder, place))];
}

/** What the grammar takes for a part of the line before, and words that it does not know. */
const repairs = [
  { find: String.raw`[ \t](?=<\s*[A-Z]\w*(?:\s+extends\b|\s*[,>=]))(?<=[\w>\])}'"]\n[ \t]*)`, with: ';' },
  { find: String.raw`\bout(?= [A-Z]\w*\s*[,=>e])(?<=[<,]\s*out)`, with: '   ' },
  { find: String.raw`\bin(?= [A-Z]\w*\s*[,=>e])(?<=[<,]\s*in)`, with: '  ' },
];

const family = {
  family: 'javascript',
  resolveImport,
  packageNames: packageNamesIn,
  manifestsOf: (module: string) =>
    /^[.#~/]|^node:/.test(module) ? [] : [{ file: 'package.json', text: `"name": "${packageNameOf(module)}"` }],
};

export const typescript: Language = {
  ...family,
  name: 'typescript',
  extensions: ['.ts', '.mts', '.cts'],
  grammar: grammarURL('typescript'),
  query: typescriptQuery,
  repairs,
};

export const tsx: Language = {
  ...family,
  name: 'tsx',
  extensions: ['.tsx'],
  grammar: grammarURL('tsx'),
  query: tsxQuery,
};

export const javascript: Language = {
  ...family,
  name: 'javascript',
  extensions: ['.js', '.jsx', '.mjs', '.cjs'],
  grammar: grammarURL('javascript'),
  query: javascriptQuery,
};
