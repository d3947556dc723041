import { parseQuery } from '../query/parse.ts';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { callerOf } from '@sextant/core/testing';
import type { Symbols } from '../code/symbols/symbols.ts';
import { RepositoryBuilder } from './repository-builder.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Serves the repositories of a folder for a test; the hidden ones only administrators may read. */
export type ServeSymbols = (options: {
  readonly folder: string;
  readonly repositories: Readonly<Record<string, string>>;
  readonly hidden: readonly string[];
}) => Promise<ServedSymbols>;

export interface ServedSymbols extends AsyncDisposable {
  readonly symbols: Symbols;
  /** Until everything that is done before anyone asks is done. */
  untilReady(): Promise<void>;
}

export interface SymbolsConformanceCase {
  /** A sentence about behaviour. */
  readonly name: string;
  run(serve: ServeSymbols): Promise<void>;
}

const { signal } = new AbortController();
const alice = callerOf('alice');
const root = callerOf('root', { isSiteAdmin: true });

const use = "import { Store } from '@acme/shop';\nexport const stock = (store: Store) => store.restock();\n";
const repositories = {
  shop: {
    'package.json': '{ "name": "@acme/shop", "main": "store.ts" }\n',
    'store.ts': 'export class Store {\n  restock() {}\n}\n',
  },
  healthy: { 'a.ts': use },
  damaged: { 'b.ts': `${use}export const damaged = 1;\n` },
  vault: { 'c.ts': `${use}export const secret = 1;\n` },
};

const usesAreFound = async (symbols: Symbols): Promise<void> => {
  const request = { repo: 'shop', path: 'store.ts', symbol: 'restock', limit: 10 };
  const seen = await symbols.findReferences(alice, request, signal);
  assert.deepEqual(places(seen.files), ['healthy a.ts']);
  assert.ok(
    seen.notes?.some((note) => note.includes('damaged')),
    'the damaged repository is named',
  );
  assert.ok(!JSON.stringify(seen).includes('vault'), 'a hidden one is not');
  const all = await symbols.findReferences(root, request, signal);
  assert.ok(all.notes?.some((note) => note.includes('vault')));
};

const besideLost = (kind: 'blob' | 'tree'): SymbolsConformanceCase[] => [
  {
    name: `uses are found beside a repository that lacks each ${kind}, which is named to those who may read it`,
    run: (serve) => beside(kind, { serve, isBefore: false }, usesAreFound),
  },
  {
    name: `symbols are found by name beside a repository that lacks each ${kind}`,
    run: (serve) =>
      beside(kind, { serve, isBefore: false }, async (symbols) => {
        const found = await symbols.search(alice, { ...parseQuery('type:symbol stock'), limit: 10 }, signal);
        assert.ok(places(found.files).includes('healthy a.ts'));
        assert.ok(
          found.notes.some((note) => note.includes('damaged')),
          'the damaged repository is named',
        );
        assert.ok(!JSON.stringify(found).includes('vault'), 'a hidden one is not');
      }),
  },
];

/** What every implementation of `Symbols` must do; run each case as a test of its own. */
export const symbolsConformance: readonly SymbolsConformanceCase[] = [
  ...besideLost('blob'),
  ...besideLost('tree'),
  {
    name: 'uses are found beside a repository that lacked each blob before it was read ahead, which is named',
    run: (serve) => beside('blob', { serve, isBefore: true }, usesAreFound),
  },
];

const places = (files: readonly { readonly repo: string; readonly path: string }[]): string[] =>
  files.map(({ repo, path }) => `${repo} ${path}`);

interface Beside {
  readonly serve: ServeSymbols;
  /** Whether objects are lost before anything is read ahead, not once everything was. */
  readonly isBefore: boolean;
}

/** Two of the repositories lose objects of a kind. */
async function beside(
  kind: 'blob' | 'tree',
  { serve, isBefore }: Beside,
  check: (symbols: Symbols) => Promise<void>,
): Promise<void> {
  using folder = temporaryFolder();
  const folders = Object.entries(repositories).map(([name, files]): [string, string] => {
    const builder = new RepositoryBuilder({ folder: join(folder.path, `${name}.git`), isBare: true });
    builder.commit({ files });
    return [name, builder.folder];
  });
  const lose = (): void => {
    for (const [name, repository] of folders) if (['damaged', 'vault'].includes(name)) damage(repository, kind);
  };
  if (isBefore) lose();
  const served = await serve({
    folder: folder.path,
    repositories: Object.fromEntries(folders),
    hidden: ['vault'],
  });
  await using _ = served;
  await served.untilReady();
  if (!isBefore) lose();
  await check(served.symbols);
}

function damage(repository: string, kind: string): void {
  const args = ['-C', repository, 'cat-file', '--batch-all-objects', '--batch-check=%(objectname) %(objecttype)'];
  const objects = execFileSync('git', args, { encoding: 'utf8' }).split('\n');
  for (const id of objects.flatMap((line) => (line.endsWith(` ${kind}`) ? line.slice(0, -kind.length - 1) : [])))
    rmSync(join(repository, 'objects', id.slice(0, 2), id.slice(2)));
}
