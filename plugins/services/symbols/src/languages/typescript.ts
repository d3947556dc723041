import { posix } from 'node:path';
import type { ImportRequest, Language, SourceTree } from '@sextant/contracts';
import { folderOf, joinPath } from '../paths.ts';
import { grammarURL } from './grammar.ts';
import { packageNameOf, packageNamesIn, packageFolder } from './node-packages.ts';
import { mappedPaths } from './tsconfig.ts';

const javascriptQuery = `
(function_declaration name: (_) @name) @definition.function @scope
(generator_function_declaration name: (_) @name) @definition.function @scope
(function_expression) @scope
(arrow_function) @scope
(for_statement) @scope
(for_in_statement) @scope
(statement_block) @scope
(class_declaration name: (_) @name) @definition.class
(method_definition name: [(property_identifier) (private_property_identifier)] @name) @member.method @scope
(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression)]) @definition.function
(variable_declarator name: (identifier) @name) @definition.variable
(variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @name)) @definition.variable
(variable_declarator name: (object_pattern (pair_pattern value: (identifier) @name))) @definition.variable
(variable_declarator name: (array_pattern (identifier) @name)) @definition.variable
(for_in_statement left: (identifier) @parameter)
(catch_clause parameter: (identifier) @parameter) @scope
(arrow_function parameter: (identifier) @parameter)
(import_statement (import_clause (identifier) @import.default) source: (string (string_fragment) @import.source))
(import_statement (import_clause (namespace_import (identifier) @import.module)) source: (string (string_fragment) @import.source))
(import_statement (import_clause (named_imports (import_specifier name: (_) @import.name !alias))) source: (string (string_fragment) @import.source))
(import_statement (import_clause (named_imports (import_specifier name: (_) @import.name alias: (_) @import.alias))) source: (string (string_fragment) @import.source))
(export_statement (export_clause (export_specifier name: (_) @import.name !alias)) source: (string (string_fragment) @import.source))
(export_statement (export_clause (export_specifier name: (_) @import.name alias: (_) @import.alias)) source: (string (string_fragment) @import.source))
(export_statement "*" source: (string (string_fragment) @import.source)) @import.all
(export_statement (namespace_export (identifier) @import.module) source: (string (string_fragment) @import.source))
(export_statement "default" value: (identifier) @export.name)
(export_statement "default" declaration: (_ name: (_) @export.name))
(export_statement (export_clause (export_specifier name: (_) @export.name alias: (_) @export.alias)) !source)
(variable_declarator name: (identifier) @import.module value: (call_expression function: (identifier) @_require arguments: (arguments (string (string_fragment) @import.source))) (#eq? @_require "require"))
(variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @import.name) value: (call_expression function: (identifier) @_require arguments: (arguments (string (string_fragment) @import.source))) (#eq? @_require "require"))
(variable_declarator name: (identifier) @typed value: (new_expression constructor: (identifier) @of-type))
(assignment_expression left: (member_expression object: (this) property: (property_identifier) @typed) right: (new_expression constructor: (identifier) @of-type))
(call_expression function: (identifier) @call)
(call_expression function: (member_expression property: (property_identifier) @call))
(new_expression constructor: (identifier) @call)
(pair key: (property_identifier) @of-qualifier)
(member_expression object: (_) @qualifier property: [(property_identifier) (private_property_identifier)] @of-qualifier)
[(identifier) (property_identifier) (private_property_identifier) (shorthand_property_identifier)] @use
`;

const typescriptQuery = `${javascriptQuery}
(abstract_class_declaration name: (_) @name) @definition.class
(class_declaration name: (_) @extended (class_heritage (extends_clause value: (identifier) @of-type)))
(abstract_class_declaration name: (_) @extended (class_heritage (extends_clause value: (identifier) @of-type)))
(class_declaration name: (_) @extended (class_heritage (implements_clause (type_identifier) @of-type)))
(interface_declaration name: (_) @extended (extends_type_clause type: (type_identifier) @of-type))
(interface_declaration name: (_) @extended (extends_type_clause type: (generic_type name: (type_identifier) @of-type)))
(variable_declarator name: (identifier) @typed type: (type_annotation [(type_identifier) @of-type (generic_type name: (type_identifier) @of-type)]))
(required_parameter pattern: (identifier) @typed type: (type_annotation [(type_identifier) @of-type (generic_type name: (type_identifier) @of-type)]))
(optional_parameter pattern: (identifier) @typed type: (type_annotation [(type_identifier) @of-type (generic_type name: (type_identifier) @of-type)]))
(public_field_definition name: (_) @typed type: (type_annotation [(type_identifier) @of-type (generic_type name: (type_identifier) @of-type)]))
(public_field_definition name: (_) @typed value: (new_expression constructor: (identifier) @of-type))
(property_signature name: (_) @typed type: (type_annotation [(type_identifier) @of-type (generic_type name: (type_identifier) @of-type)]))
(variable_declarator name: (identifier) @typed value: (as_expression (_) [(type_identifier) @of-type (generic_type name: (type_identifier) @of-type)]))
(interface_declaration name: (_) @name) @definition.interface
(type_alias_declaration name: (_) @name) @definition.type
(enum_declaration name: (_) @name) @definition.enum
(enum_body name: (property_identifier) @name) @member.constant
(enum_assignment name: (property_identifier) @name) @member.constant
(internal_module name: (identifier) @name) @definition.namespace
(function_signature name: (_) @name) @definition.function @scope
(abstract_method_signature name: (_) @name) @member.method @scope
(method_signature name: (_) @name) @member.method @scope
(function_type) @scope
(constructor_type) @scope
(call_signature) @scope
(construct_signature) @scope
(property_signature name: (property_identifier) @name) @member.property
(public_field_definition name: [(property_identifier) (private_property_identifier)] @name value: [(arrow_function) (function_expression)]) @member.method
(public_field_definition name: [(property_identifier) (private_property_identifier)] @name) @member.property
(required_parameter (accessibility_modifier) pattern: (identifier) @name) @member.property
(required_parameter "readonly" pattern: (identifier) @name) @member.property
(required_parameter pattern: (identifier) @parameter)
(optional_parameter pattern: (identifier) @parameter)
(required_parameter pattern: (object_pattern (shorthand_property_identifier_pattern) @parameter))
(type_parameter name: (type_identifier) @parameter)
(infer_type (type_identifier) @parameter)
(class_declaration) @scope
(abstract_class_declaration) @scope
(interface_declaration) @scope
(type_alias_declaration) @scope
(method_definition "get" name: (_) @typed return_type: (type_annotation [(type_identifier) @of-type (generic_type name: (type_identifier) @of-type)]))
(type_identifier) @type
`;

const tsxQuery = `${typescriptQuery}
(jsx_attribute (property_identifier) @of-qualifier)
(jsx_opening_element name: (identifier) @of-qualifier (#match? @of-qualifier "^[a-z]"))
(jsx_self_closing_element name: (identifier) @of-qualifier (#match? @of-qualifier "^[a-z]"))
`;

const plainQuery = `${javascriptQuery}
(field_definition property: [(property_identifier) (private_property_identifier)] @name) @member.property
(class_declaration name: (_) @extended (class_heritage (identifier) @of-type))
(formal_parameters (identifier) @parameter)
(formal_parameters (object_pattern (shorthand_property_identifier_pattern) @parameter))
(formal_parameters (assignment_pattern left: (identifier) @parameter))
`;

const endings = ['.ts', '.tsx', '.d.ts', '.js', '.jsx', '.mts', '.cts', '.mjs', '.cjs'];

function filesOf(place: string, tree: SourceTree): string[] {
  const bare = place.replace(/\.[cm]?[jt]sx?$/, '');
  const named = endings.map((ending) => bare + ending);
  const all = [place, ...named, ...endings.map((ending) => place + ending)];
  const inside = endings.map((ending) => joinPath(place, `index${ending}`));
  return [...new Set([...all, ...inside])].filter((path) => tree.has(path));
}

async function resolveImport({ path, module }: ImportRequest, tree: SourceTree): Promise<string[]> {
  if (/^\.{1,2}(\/|$)/.test(module)) {
    const place = posix.join(folderOf(path), module).replace(/\/$/, '');
    return place.startsWith('..') ? [] : filesOf(place === '.' ? '' : place, tree);
  }
  for (const place of await mappedPaths({ path, module }, tree)) {
    const found = filesOf(place, tree);
    if (found.length > 0) return found;
  }
  const folder = await packageFolder(packageNameOf(module), tree);
  if (folder === undefined) return [];
  const below = module.slice(packageNameOf(module).length + 1);
  const places = below === '' ? ['src/index', 'index', 'src/main', 'lib/index'] : [below, `src/${below}`];
  return places.flatMap((place) => filesOf(joinPath(folder, place), tree)).slice(0, 4);
}

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
  query: plainQuery,
};
