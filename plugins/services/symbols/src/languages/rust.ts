import { posix } from 'node:path';
import type { ImportRequest, Language, PackageManifest, SourceTree } from '@sextant/contracts';
import { folderOf, foldersAround, joinPath } from '../paths.ts';
import { each, kinds, ofCollection } from './grammar.ts';
import { manifestsIn } from './tree-files.ts';

const alias = 'alias: (identifier) @import.alias';
const used = `[
  (identifier) @import.name
  (scoped_identifier name: (identifier) @import.name)
  (use_as_clause path: (identifier) @import.name ${alias})
  (use_as_clause path: (scoped_identifier name: (identifier) @import.name) ${alias})
  (use_wildcard) @import.all
]`;
const listOf = (inside: string): string => `(scoped_use_list list: (use_list ${inside}))`;
const itself = `[
  (scoped_use_list path: (identifier) @import.name list: (use_list (self)))
  (scoped_use_list path: (scoped_identifier name: (identifier) @import.name) list: (use_list (self)))
]`;
/** Lists are looked at four levels deep. */
const trees = [used, itself, listOf(used), listOf(itself), listOf(listOf(used)), listOf(listOf(listOf(used)))];

/** The source of an import is the text behind `use`, or the whole of `mod name;`. */
const importQuery = `
${trees.map((tree) => `(use_declaration argument: ${tree} @import.source)`).join('\n')}
(mod_item name: (identifier) @import.module !body) @import.source
`;

const query = `${importQuery}
${kinds('definition', 'name: (type_identifier) @name', { struct: 'struct_item union_item', enum: 'enum_item', trait: 'trait_item', type: 'type_item' })}
(enum_variant name: (identifier) @name) @member.constant
${kinds('definition', 'name: (identifier) @name', { constant: 'const_item static_item', macro: 'macro_definition' })}
(mod_item name: (identifier) @name body: (_)) @definition.module
(function_item name: (identifier) @name) @definition.function @scope
(trait_item body: (declaration_list (function_signature_item name: (identifier) @name) @member.method))
(associated_type name: (type_identifier) @name) @member.type
(trait_item body: (declaration_list (const_item name: (identifier) @name) @member.constant))
(impl_item type: (type_identifier) @container body: (declaration_list (const_item name: (identifier) @name) @member.constant))
(trait_item body: (declaration_list (function_item name: (identifier) @name) @member.method))
(impl_item type: (type_identifier) @container body: (declaration_list (function_item name: (identifier) @name) @member.method))
(impl_item type: (generic_type type: (type_identifier) @container) body: (declaration_list (function_item name: (identifier) @name) @member.method))
(field_declaration name: (field_identifier) @name) @member.property
[(block) (closure_expression) (if_expression) (while_expression) (match_arm)] @scope
(for_expression pattern: (identifier) @parameter) @scope
(let_declaration pattern: (identifier) @name) @definition.variable
${each('tuple_pattern mut_pattern ref_pattern reference_pattern', (form) => `(${form} (identifier) @local)`)}
(tuple_struct_pattern type: (_) (identifier) @local)
(field_pattern name: (shorthand_field_identifier) @local)
${each('field_pattern let_condition', (form) => `(${form} pattern: (identifier) @local)`)}
(captured_pattern . (identifier) @local)
(match_pattern . (identifier) @local . (#match? @local "^[a-z_]"))
(parameter pattern: (identifier) @parameter)
(closure_parameters (identifier) @parameter)
(type_parameter name: (type_identifier) @parameter)
${each('parameter let_declaration', (form) => `(${form} pattern: [(identifier) @typed (mut_pattern (identifier) @typed)] type: (_) @of-type)`)}
(let_declaration pattern: [(identifier) @typed (mut_pattern (identifier) @typed)] value: (_) @of-value)
(field_declaration name: (field_identifier) @typed type: (_) @of-type)
${each('const_item static_item', (form) => `(${form} name: (identifier) @typed type: (_) @of-type)`)}
(type_item name: (type_identifier) @typed type: (_) @of-type)
${each('function_item function_signature_item', (form) => `(${form} name: (identifier) @typed return_type: (_)? @gives) @function`)}
(struct_item name: (type_identifier) @typed type_parameters: (_) @generics)
(for_expression pattern: (identifier) @typed value: (_) @of-element)
((let_condition pattern: (tuple_struct_pattern type: (identifier) @_some . (identifier) @typed .) value: (_) @of-value) (#any-of? @_some "Some" "Ok"))
((let_declaration pattern: (tuple_struct_pattern type: (identifier) @_some . (identifier) @typed .) value: (_) @of-value) (#any-of? @_some "Some" "Ok"))
((match_expression value: (_) @of-value body: (match_block (match_arm pattern: (match_pattern (tuple_struct_pattern type: (identifier) @_some . (identifier) @typed .))))) (#any-of? @_some "Some" "Ok"))
(arguments (closure_expression parameters: (closure_parameters (identifier) @typed @parameter-of)) @argument)
(call_expression function: (identifier) @call)
(call_expression function: (field_expression field: (field_identifier) @call))
(call_expression function: (scoped_identifier name: (identifier) @call))
(macro_invocation macro: (identifier) @call)
(field_expression value: (_) @qualifier field: (field_identifier) @of-qualifier)
(scoped_identifier path: (_) @qualifier name: (identifier) @of-qualifier)
(scoped_type_identifier path: (_) @qualifier name: (type_identifier) @of-qualifier)
(token_tree [(identifier) (self) (crate)] @qualifier . "::" . (identifier) @of-qualifier)
(token_tree (identifier) @call . "!" . (token_tree))
(token_tree (self) @qualifier . "." . (identifier) @of-qualifier)
(token_tree "." . (identifier) @of-qualifier)
(type_identifier) @type
[(identifier) (field_identifier) (shorthand_field_identifier)] @use
`;

/** `&'a mut goods::Item` is an `Item`. Values stay as they are. */
const typeText = (text: string): string =>
  text.startsWith('=') ? text : text.replace(/'\w+\s*|\b(?:impl|dyn|mut)\s+|\b(?:[a-z_]\w*::)+(?=[A-Z])/g, '');

export const rust: Language = {
  ...ofCollection('rust'),
  extensions: ['.rs'],
  query,
  visibility: 'everywhere',
  resolveImport: resolveRustImport,
  typeText,
  importOf: (qualifier, name) => (/^[a-z]\w*(::\w+)*$/.test(qualifier) ? `${qualifier}::${name}` : undefined),
  packageNames: async (tree) => (await tree.derived(cratesOf)).map(({ name }) => name),
  manifestsOf: rustManifests,
};

const ownRoots = ['crate', 'self', 'super'];
const shipped = ['std', 'core', 'alloc'];

/** The files of the module from which a name is imported, then those of the module that the name may be. */
async function resolveRustImport({ path, module, name }: ImportRequest, tree: SourceTree): Promise<string[]> {
  const declared = /\bmod\s+(\w+);$/.exec(module)?.[1];
  if (declared !== undefined) return declaredFiles(path, declared, tree);
  const used = usedPaths(module).filter((parts) => parts.at(-1) === (name === '' ? '*' : name));
  const found = await Promise.all(used.map((parts) => filesOf(path, parts, tree)));
  return [...new Set(found.flat())];
}

/** The names that the crates of an import may have in their manifests. */
function rustManifests(module: string): PackageManifest[] {
  const crates = new Set(usedPaths(module).map(([first = '']) => first));
  const foreign = [...crates].filter((name) => name !== '' && ![...ownRoots, ...shipped].includes(name));
  const names = foreign.flatMap((name) => [...new Set([name.replaceAll('_', '-'), name])]);
  return names.map((name) => ({ file: 'Cargo.toml', text: `name = "${name}"` }));
}

const declaredFiles = (path: string, name: string, tree: SourceTree): string[] =>
  placesBelow(path, name).flatMap((place) => moduleFiles(place, tree));

/** Where a module of a file may lie. The roots of tests and examples have their modules beside them. */
const placesBelow = (path: string, name: string): string[] =>
  [...new Set([moduleOf(path), folderOf(path)])].map((folder) => joinPath(folder, name));

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

/** The module that the first part of a path means. Undefined for a crate of another repository. */
async function startOf(path: string, first: string, tree: SourceTree): Promise<string | undefined> {
  if (first === 'crate') return crateFolderOf(path, tree);
  if (first === 'self') return moduleOf(path);
  if (first === 'super') return folderOf(moduleOf(path));
  const beside = placesBelow(path, first).find((place) => moduleFiles(place, tree).length > 0);
  if (beside !== undefined) return beside;
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

/** The files of a module. If there are none, those of the module around it, which may have it as a part or an enum. */
function nearestFiles(place: string, base: string, tree: SourceTree): string[] {
  const found = moduleFiles(place, tree);
  return found.length > 0 || place === base || place === '' ? found : nearestFiles(folderOf(place), base, tree);
}

/** Most names of one `use`. */
const maxPaths = 1000;

/** Each path that a `use` names: `a::{b, c::{self, *}}` has `a b`, `a c` and `a c *`. */
function usedPaths(text: string): string[][] {
  const paths: string[][] = [];
  const outer: string[][] = [];
  let path: string[] = [];
  const finish = (): void => {
    const around = outer.at(-1) ?? [];
    // `a::{self}` is the module itself.
    if (path.length > around.length) paths.push(path.length > 1 && path.at(-1) === 'self' ? around : path);
    path = [...around];
  };
  for (const [token] of text.matchAll(/\bas\s+\w+|\w+|[{},*]/g)) {
    if (token === '{') outer.push([...path]);
    else if (token === ',') finish();
    else if (token === '}') {
      finish();
      outer.pop();
      path = [...(outer.at(-1) ?? [])];
    } else if (!/^as\s/.test(token)) path.push(token);
    if (paths.length >= maxPaths) return paths;
  }
  finish();
  return paths;
}

/** What Cargo.toml says of a library. */
interface Crate {
  /** As code writes it. */
  readonly name: string;
  /** The folder of its root module. */
  readonly folder: string;
}

/** The crates of a repository, including those of a workspace. */
async function cratesOf(tree: SourceTree): Promise<readonly Crate[]> {
  return (await manifestsIn(tree, tree.named('Cargo.toml'))).flatMap(cratesIn);
}

function cratesIn({ text, folder }: { readonly text: string; readonly folder: string }): Crate[] {
  const name = valueIn(text, 'lib', 'name') ?? valueIn(text, 'package', 'name');
  if (name === undefined) return [];
  const root = posix.join(folder, valueIn(text, 'lib', 'path') ?? 'src/lib.rs');
  return [{ name: name.replaceAll('-', '_'), folder: folderOf(root) }];
}

/** A string value in a section of TOML. */
function valueIn(text: string, section: string, key: string): string | undefined {
  const [, after = ''] = text.split(new RegExp(String.raw`^\[${section}\][^\n]*$`, 'm'));
  const [inside = ''] = after.split(/^\[/m);
  return new RegExp(String.raw`^\s*${key}\s*=\s*["']([^"'\n]+)["']`, 'm').exec(inside)?.[1];
}

/** The folder of the root module of the crate that a file belongs to. */
function crateFolderOf(path: string, tree: SourceTree): string {
  const isRoot = (folder: string): boolean => ['lib.rs', 'main.rs'].some((file) => tree.has(joinPath(folder, file)));
  return foldersAround(path).find(isRoot) ?? folderOf(path);
}
