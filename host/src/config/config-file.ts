import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { messageOf } from '@sextant/core';
import { cosmiconfig } from 'cosmiconfig';
import type { PublicExplorer } from 'cosmiconfig';
import type { Document } from 'yaml';
import { ConfigError } from './problems.ts';

/** A configuration file as it was read, before anything in it was looked at. */
export interface ConfigFile {
  /** Absolute path. */
  readonly path: string;
  /** As messages name it: relative to the working directory where that is shorter. */
  readonly name: string;
  readonly value: unknown;
  /** The line on which a key or list item stands; undefined where that is not known (JavaScript, TypeScript). */
  lineOf(path: readonly PropertyKey[]): number | undefined;
}

const extensions = ['json', 'yaml', 'yml', 'js', 'ts', 'mjs', 'cjs'];
const searchPlaces = [
  'package.json',
  '.sextantrc',
  ...extensions.map((extension) => `.sextantrc.${extension}`),
  ...extensions.map((extension) => `sextant.config.${extension}`),
];

/** Where a configuration file may be written in a folder that has none. A manifest is there for other reasons. */
export const filesToBe = (folder: string): string[] =>
  searchPlaces.filter((name) => name !== 'package.json').map((name) => join(folder, name));

/**
 * The configuration file of a working directory. It is there, or in a folder above, up to the top of its git repository
 * or the home folder. Folders above that anyone may write to are skipped: a stranger's file would be run.
 */
export async function findConfigFile(from: string): Promise<string | undefined> {
  const explorer = explorerWith(new Map());
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    if (folder === resolve(from) || !(await isSharedFolder(folder))) {
      const found = await explorer.search(folder).catch(rethrow);
      if (found) return found.filepath;
    }
    if (folder === dirname(folder) || folder === homedir() || (await exists(join(folder, '.git')))) return undefined;
  }
}

/** Reads a file; throws a `ConfigError` that names file and line of what cannot be parsed. */
export async function readConfigFile(path: string, workingDirectory: string): Promise<ConfigFile> {
  const documents = new Map<string, PositionedDocument>();
  const found = await explorerWith(documents).load(path).catch(rethrow);
  const prefix = basename(path) === 'package.json' ? ['sextant'] : [];
  return {
    path,
    name: shortName(path, workingDirectory),
    value: found?.config ?? {},
    lineOf: (keys) => documents.get(path)?.lineOf([...prefix, ...keys]),
  };
}

/** A path as people name it. */
export function shortName(path: string, workingDirectory: string): string {
  const short = relative(workingDirectory, path);
  return short.startsWith('..') ? path : short;
}

interface PositionedDocument {
  lineOf(path: readonly PropertyKey[]): number | undefined;
}

function explorerWith(documents: Map<string, PositionedDocument>): PublicExplorer {
  const data = async (path: string, content: string): Promise<unknown> => {
    const { document, positions } = await parseDocument(content);
    documents.set(path, positions);
    return document.toJS({ maxAliasCount: 100 }) ?? {};
  };
  const code = Object.fromEntries(['.js', '.mjs', '.cjs', '.ts'].map((extension) => [extension, importFresh]));
  return cosmiconfig('sextant', {
    searchPlaces,
    searchStrategy: 'none',
    ignoreEmptySearchPlaces: false,
    cache: false,
    loaders: { ...code, '.json': data, '.yaml': data, '.yml': data, noExt: data, default: data },
  });
}

/** JSON is YAML, too: one parser reads both and knows the lines. */
async function parseDocument(content: string): Promise<{ document: Document; positions: PositionedDocument }> {
  const { LineCounter, isMap, isNode, isScalar, parseDocument: parse } = await import('yaml');
  const lineCounter = new LineCounter();
  const document = parse(content, { lineCounter, prettyErrors: false });
  const [error] = document.errors;
  if (error) throw new SyntaxError(`line ${lineCounter.linePos(error.pos[0]).line}: ${error.message}`);
  const lineOf = (keys: readonly PropertyKey[]): number | undefined => {
    const parent = document.getIn(keys.slice(0, -1), true);
    const pair = isMap(parent) && parent.items.find(({ key }) => isScalar(key) && key.value === keys.at(-1));
    const node = pair ? pair.key : document.getIn(keys, true);
    return isNode(node) && node.range ? lineCounter.linePos(node.range[0]).line : undefined;
  };
  return { document, positions: { lineOf } };
}

/** The default export of a module; imported again when the file has changed. */
async function importFresh(path: string): Promise<unknown> {
  const url = pathToFileURL(path);
  url.searchParams.set('version', String((await stat(path)).mtimeMs));
  const module: { default?: unknown } = await import(url.href);
  if (module.default === undefined) throw new SyntaxError('it has no default export');
  return module.default;
}

function rethrow(error: unknown): never {
  const path =
    error instanceof Error && 'filepath' in error && typeof error.filepath === 'string' ? error.filepath : undefined;
  throw new ConfigError([path ? `${shortName(path, process.cwd())}: ${messageOf(error)}` : messageOf(error)], {
    cause: error,
  });
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

const isSharedFolder = (folder: string): Promise<boolean> =>
  stat(folder).then(
    ({ mode }) => (mode & 0o002) !== 0,
    () => true,
  );
