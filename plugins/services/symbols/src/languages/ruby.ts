import { posix } from 'node:path';
import type { ImportRequest, Language, PackageManifest, SourceTree } from '@sextant/contracts';
import { folderOf } from '../paths.ts';
import { each, kinds, ofCollection } from './grammar.ts';
import { filesEnding } from './tree-files.ts';

/** A name that is written as a value. */
const symbol = '[(simple_symbol) @name (string (string_content) @name)]';

const query = `
${kinds('definition', 'name: (constant) @name', { class: 'class', module: 'module' })}
${each('method singleton_method', (form) => `(${form} name: (_) @name) @member.method @scope`)}
(alias name: (identifier) @name) @member.method
((call !receiver method: (identifier) @_defines arguments: (argument_list . ${symbol})) @member.method (#any-of? @_defines "define_method" "alias_method" "scope" "let" "let!" "has_many" "has_one" "belongs_to" "attribute"))
((call !receiver method: (identifier) @_defines arguments: (argument_list ${symbol})) @member.property (#any-of? @_defines "attr_reader" "attr_writer" "attr_accessor" "cattr_accessor" "mattr_accessor" "class_attribute" "delegate"))
(assignment left: (constant) @name) @definition.constant
${each('assignment operator_assignment', (form) => `(${form} left: (instance_variable) @name) @member.property`)}
(assignment left: (identifier) @name) @definition.variable
[(block) (do_block)] @scope
${each('method_parameters block_parameters', (form) => `(${form} (identifier) @parameter)`)}
${each('splat_parameter hash_splat_parameter block_parameter keyword_parameter optional_parameter', (form) => `(${form} name: (identifier) @parameter)`)}
(exception_variable (identifier) @name) @definition.variable
(call !receiver method: (identifier) @_require arguments: (argument_list . (string) .) (#any-of? @_require "require" "require_relative")) @import.source @import.all
(assignment left: (identifier) @typed right: (call receiver: (constant) @of-type method: (identifier) @_new) (#eq? @_new "new"))
(assignment left: (instance_variable) @typed right: (call receiver: (constant) @of-type method: (identifier) @_new) (#eq? @_new "new"))
(class name: (constant) @extended superclass: (superclass (constant) @of-type))
(class name: (constant) @extended body: (body_statement (call method: (identifier) @_mix arguments: (argument_list (constant) @of-type)) (#any-of? @_mix "include" "prepend")))
(call method: (identifier) @call)
(call receiver: (_) @qualifier method: (identifier) @of-qualifier)
(scope_resolution scope: (_) @qualifier name: (constant) @of-qualifier)
[(identifier) (constant) (instance_variable)] @use
`;

export const ruby: Language = {
  ...ofCollection('ruby'),
  extensions: ['.rb', '.rake', '.gemspec'],
  query,
  visibility: 'everywhere',
  hasBareMembers: true,
  resolveImport: resolveRubyImport,
  packageNames: gemsOf,
  manifestsOf: gemManifests,
};

/** The source of an import is the whole call: `require_relative 'shop/store'`. */
const call = /^(\w+)[\s(]+["']([^"']+)["']/;

/** The file beside the one that requires it, or every such file below a `lib` folder. */
async function resolveRubyImport({ path, module }: ImportRequest, tree: SourceTree): Promise<string[]> {
  const [, method, place = ''] = call.exec(module) ?? [];
  const file = place.endsWith('.rb') ? place : `${place}.rb`;
  if (method === 'require_relative') return [posix.join(folderOf(path), file)].filter((one) => tree.has(one));
  return filesEnding(tree, `lib/${file}`);
}

/** The gems that lie at the root, and the paths under which they are required. */
async function gemsOf(tree: SourceTree): Promise<string[]> {
  const gems = tree.inFolder('').flatMap((path) => /^(.+)\.gemspec$/.exec(path)?.[1] ?? []);
  return [...new Set(gems.flatMap((gem) => [gem, gem.replaceAll('-', '/')]))];
}

/** `shop/store` is in the gem `shop-store` or in `shop`. */
function gemManifests(module: string): PackageManifest[] {
  const [, method, place = ''] = call.exec(module) ?? [];
  if (method !== 'require' || place.startsWith('.')) return [];
  const parts = place.split('/');
  const gems = parts.map((_, end) => parts.slice(0, parts.length - end).join('-'));
  return gems.map((gem) => ({ file: `${gem}.gemspec`, text: 'Gem::Specification' }));
}
