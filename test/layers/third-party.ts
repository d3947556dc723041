import { existsSync, globSync, readFileSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: unknown;
  readonly repository?: string | { readonly url: string };
  readonly os?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

export interface Package {
  readonly folder: string;
  readonly manifest: Manifest;
}

/**
 * Licences (SPDX) that a dependency may have. Those that are `quoted` ask for their text, or for where the source is, with every
 * copy: the notices carry it.
 */
export const allowed: Readonly<Record<string, 'named' | 'quoted'>> = {
  '0BSD': 'named',
  'Apache-2.0': 'named',
  'BlueOak-1.0.0': 'named',
  'BSD-2-Clause': 'named',
  'BSD-3-Clause': 'named',
  ISC: 'named',
  MIT: 'named',
  'MPL-2.0': 'quoted',
  'OFL-1.1': 'quoted',
  'PSF-2.0': 'quoted',
  Unlicense: 'named',
};

interface Work {
  readonly name: string;
  readonly license: string;
  readonly source: string;
}

const grammar = (language: string, owner = 'tree-sitter'): Work => ({
  name: `tree-sitter-${language}`,
  license: 'MIT',
  source: `https://github.com/${owner}/tree-sitter-${language}`,
});
const treeSitter: Work = { name: 'tree-sitter', license: 'MIT', source: 'https://github.com/tree-sitter/tree-sitter' };
const oniguruma: Work = { name: 'Oniguruma', license: 'BSD-2-Clause', source: 'https://github.com/kkos/oniguruma' };

/** What packages hold that others wrote and no manifest names: compiled programs and data. */
export const embedded: Readonly<Record<string, readonly Work[]>> = {
  '@repomix/tree-sitter-wasms': [
    ...['c', 'c-sharp', 'cpp', 'css', 'go', 'java', 'javascript', 'php', 'python', 'ruby', 'rust', 'typescript'].map(
      (language) => grammar(language),
    ),
    grammar('dart', 'UserNobody14'),
    grammar('solidity', 'JoranHonig'),
    grammar('swift', 'alex-pinkus'),
    grammar('vue', 'tree-sitter-grammars'),
  ],
  '@shikijs/engine-oniguruma': [oniguruma],
  '@shikijs/langs': [
    {
      name: 'grammars of TextMate',
      license: 'MIT and others, each named in its NOTICE',
      source: 'https://github.com/shikijs/textmate-grammars-themes',
    },
  ],
  '@shikijs/themes': [
    {
      name: 'themes of TextMate',
      license: 'MIT and others, each named in its NOTICE',
      source: 'https://github.com/shikijs/textmate-grammars-themes',
    },
  ],
  '@tree-sitter-grammars/tree-sitter-kotlin': [grammar('kotlin', 'tree-sitter-grammars')],
  '@tree-sitter-grammars/tree-sitter-lua': [grammar('lua', 'tree-sitter-grammars')],
  '@vscode/tree-sitter-wasm': [
    treeSitter,
    ...['bash', 'c-sharp', 'cpp', 'css', 'go', 'java', 'javascript', 'php', 'python', 'regex', 'ruby', 'rust'].map(
      (language) => grammar(language),
    ),
    grammar('typescript'),
    grammar('ini', 'justinmk'),
    grammar('powershell', 'airbus-cert'),
  ],
  'better-sqlite3': [{ name: 'SQLite', license: 'public domain', source: 'https://sqlite.org' }],
  shiki: [oniguruma],
  'tree-sitter-scala': [grammar('scala')],
  wasmoon: [{ name: 'Lua', license: 'MIT', source: 'https://www.lua.org' }],
  'web-tree-sitter': [treeSitter],
};

/** Everything that packages need at run time, and with `isForDevelopment` what the workspace needs besides; by name and version. */
export function packagesOf(folders: readonly string[], isForDevelopment = false): Package[] {
  const found = new Map<string, Package>();
  const add = (folder: string, isOurs: boolean): void => {
    if (found.has(folder)) return;
    const manifest = manifestIn(folder);
    found.set(folder, { folder, manifest });
    const { dependencies, optionalDependencies, peerDependencies, devDependencies } = manifest;
    const needed = { ...dependencies, ...optionalDependencies, ...peerDependencies };
    for (const name of Object.keys({ ...needed, ...(isOurs && isForDevelopment && devDependencies) })) {
      const installed = installedFor(folder, name);
      if (installed) add(installed, name.startsWith('@sextant/'));
      // Others are for another machine, or for what their user may bring.
      else if (dependencies?.[name]) throw new Error(`${name}, which ${manifest.name} needs, is not installed`);
    }
  };
  for (const folder of folders) add(folder, true);
  return [...found.values()]
    .filter(({ manifest: { name, os } }) => !name.startsWith('@sextant/') && name !== 'sextant-workspace' && !os)
    .toSorted((a, b) => (labelOf(a) < labelOf(b) ? -1 : 1));
}

export const labelOf = ({ manifest }: Package): string => `${manifest.name}@${manifest.version}`;

/** The licence of a package by which it is taken: of `A OR B` the first that is allowed. Throws for one that is not. */
export function licenseOf({ manifest: { name, license } }: Package): string {
  const text = typeof license === 'string' ? license.replaceAll(/[()]/g, '') : '';
  const isAllowed = (expression: string): boolean =>
    expression.split(' AND ').every((part) => Object.hasOwn(allowed, part));
  const chosen = text.split(' OR ').find(isAllowed);
  if (chosen !== undefined) return chosen;
  throw new Error(
    `${name} has the licence ${JSON.stringify(license) ?? 'of nobody'}; allowed are ${Object.keys(allowed).join(', ')}. ` +
      'Take another package, or add the licence to `allowed` once somebody has read it.',
  );
}

/** Whether a package has compiled programs, whose licences its manifest does not name. */
export const hasPrograms = ({ folder }: Package): boolean =>
  globSync('**/*.{wasm,node}', { cwd: folder, exclude: (path) => path.includes('node_modules') }).length > 0;

/** The file in which a package says what of others it has, or its licence; empty where it has none. */
export function textIn({ folder }: Package, names: RegExp): string {
  const file = readdirSync(folder)
    .toSorted()
    .find((name) => names.test(name));
  return file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim();
}

/** Where the source of a package is. */
export function sourceOf({ manifest: { name, repository } }: Package): string {
  const url = typeof repository === 'string' ? repository : (repository?.url ?? '');
  const path = /(?:github\.com[/:]|^(?:github:)?)([\w.-]+\/[\w.-]+?)(?:\.git)?(?:#.*|\/tree\/.*)?$/.exec(url)?.[1];
  return path === undefined ? `the package ${name} itself` : `https://github.com/${path}`;
}

const manifestIn = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** As Node resolves it: in the folder itself or the next above that has it. */
function installedFor(folder: string, name: string): string | undefined {
  for (let above = folder; ; above = dirname(above)) {
    const installed = join(above, 'node_modules', name);
    if (existsSync(join(installed, 'package.json'))) return realpathSync(installed);
    if (above === dirname(above)) return undefined;
  }
}
