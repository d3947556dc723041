import { posix } from 'node:path';
import type { ImportRequest, Language, SourceTree } from '@sextant/contracts';
import { folderOf, joinPath } from '../paths.ts';
import { each, grammarURL, kinds } from './grammar.ts';
import {
  besidePaths,
  filesNamed,
  mappedPaths,
  packageAround,
  packageNameOf,
  packageNamed,
  packageNamesIn,
} from './node-modules.ts';

const functions = '[(arrow_function) (function_expression)]';

/** Names that a pattern takes out of a value, with the key of each. */
const parts =
  '[(shorthand_property_identifier_pattern) @typed @key (object_assignment_pattern left: (shorthand_property_identifier_pattern) @typed @key) (pair_pattern key: (property_identifier) @key value: [(identifier) @typed (assignment_pattern left: (identifier) @typed)])]';

/** A name, or those that a pattern takes out of a value. */
const taken = `[(identifier) @typed (object_pattern ${parts}) (array_pattern (identifier) @typed @by-index)]`;

/** A literal, with the names that are its keys. */
const literal =
  '(object [(pair key: (property_identifier) @key) (method_definition name: (property_identifier) @key)])';
/** The same as the result of a function. */
const given = `[(parenthesized_expression ${literal}) (statement_block (return_statement ${literal}))]`;

/**
 * The tags for types of names; the rest of TypeScript is in `typedQuery`. No pattern begins with `(arguments …`:
 * tree-sitter would track it through all nested calls and callbacks, which is slow. An argument outside of a call
 * matches nothing.
 */
const relationsQuery = `
(variable_declarator name: ${taken} value: (_) @of-value)
(assignment_expression left: (member_expression object: (this) property: [(property_identifier) (private_property_identifier)] @typed) right: (_) @of-value)
(for_in_statement left: ${taken} "of" right: (_) @of-element)
[(arrow_function body: (_) @returned) (return_statement (_) @returned)]
(arrow_function parameter: (identifier) @typed @parameter-of) @argument
${literal} @argument
(pair key: (property_identifier) @typed value: (_) @of-value)
(pair key: (property_identifier) @name value: ${functions}) @member.method
(pair key: (property_identifier) @name @of-qualifier) @member.key
(object (shorthand_property_identifier) @name @member.key)
(object (shorthand_property_identifier) @typed @of-value)
(assignment_expression left: [(array_pattern (identifier) @not-local) (object_pattern (shorthand_property_identifier_pattern) @not-local)])
(shorthand_property_identifier_pattern) @local
(pair_pattern value: [(identifier) @local (assignment_pattern left: (identifier) @local)])
(array_pattern [(identifier) @local (assignment_pattern left: (identifier) @local)])
(rest_pattern (identifier) @local)
`;

/** What a module may have instead of a name. */
const unnamed = '[(object) (array) (arrow_function) (function_expression) (class) (call_expression) (new_expression)]';

const test = '(binary_expression left: (_) @narrowed operator: "instanceof" right: (_) @narrowed-to)';
const tests = `[${test} (binary_expression left: ${test} operator: "&&") (binary_expression operator: "&&" right: ${test})]`;
const leaves =
  '[(return_statement) (throw_statement) (statement_block [(return_statement) (throw_statement) (continue_statement)] .)]';
const failed = `(parenthesized_expression (unary_expression operator: "!" argument: (parenthesized_expression ${test})))`;

/** Tests that narrow the type of a value. */
const narrowingQuery = `
(if_statement condition: (parenthesized_expression ${tests}) consequence: (_) @narrowed-in)
(while_statement condition: (parenthesized_expression ${tests}) body: (_) @narrowed-in)
(binary_expression left: ${test} operator: "&&" right: (_) @narrowed-in)
(ternary_expression condition: ${test} consequence: (_) @narrowed-in)
(if_statement condition: ${failed} consequence: ${leaves} !alternative) @narrowed-after
`;

const source = 'source: (string (string_fragment) @import.source)';
const required =
  '(call_expression function: (identifier) @_require arguments: (arguments (string (string_fragment) @import.source)))';
const isRequired = '(#eq? @_require "require")';

const commonQuery = `
${each('function_declaration generator_function_declaration', (form) => `(${form} name: (_) @name) @definition.function @scope`)}
[(function_expression) (arrow_function) (for_statement) (for_in_statement) (statement_block)] @scope
(class_declaration name: (_) @name) @definition.class
(method_definition name: [(property_identifier) (private_property_identifier)] @name) @member.method @scope
(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression)]) @definition.function
(variable_declarator name: (identifier) @name) @definition.variable
(for_in_statement left: (identifier) @parameter)
(catch_clause parameter: (identifier) @parameter) @scope
(arrow_function parameter: (identifier) @parameter)
(import_statement (import_clause [(identifier) @import.default (namespace_import (identifier) @import.module) (named_imports (import_specifier name: (_) @import.name !alias))]) ${source}) @import.own
(import_statement (import_clause (named_imports (import_specifier name: (_) @import.name alias: (_) @import.alias))) ${source}) @import.own
(export_statement (export_clause (export_specifier name: (_) @import.name !alias)) ${source})
(export_statement (export_clause (export_specifier name: (_) @import.name alias: (_) @import.alias)) ${source})
(export_statement "*" ${source}) @import.all
(export_statement (namespace_export (identifier) @import.module) ${source})
(export_statement "default" value: (identifier) @export.name)
(export_statement "default" @name value: ${unnamed}) @definition.variable
(export_statement "default" @typed value: ${unnamed} @of-value)
(export_statement "default" declaration: (_ name: (_) @export.name))
(export_statement (export_clause (export_specifier name: (_) @export.name alias: (_) @export.alias)) !source)
(export_statement (export_clause (export_specifier name: (_) @export.same !alias)) !source)
(variable_declarator name: (identifier) @import.module value: ${required} ${isRequired})
(variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @import.name) value: ${required} ${isRequired})
(variable_declarator name: (object_pattern (pair_pattern key: (property_identifier) @import.name value: (identifier) @import.alias)) value: ${required} ${isRequired})
(variable_declarator name: (identifier) @import.alias value: (member_expression object: ${required} property: (property_identifier) @import.name) ${isRequired})
(call_expression function: [(identifier) @call (member_expression property: (property_identifier) @call)])
(new_expression constructor: (identifier) @call)
(member_expression object: (_) @qualifier property: [(property_identifier) (private_property_identifier)] @of-qualifier)
[(identifier) (property_identifier) (private_property_identifier) (shorthand_property_identifier)] @use
`;

/** The parameters and the result of a function. */
const signature = 'type_parameters: (_)? @generics parameters: (_) @takes return_type: (type_annotation (_) @gives)?';

const untyped = `(formal_parameters (required_parameter pattern: [(identifier) @typed (object_pattern ${parts})] !type) @parameter-of)`;

const typedQuery = `
(variable_declarator name: [(identifier) @typed (object_pattern ${parts})] type: (type_annotation (_) @of-type))
${each('variable_declarator public_field_definition', (form) => `(${form} type: (type_annotation (_) @of-type) value: ${literal})`)}
(variable_declarator type: (type_annotation (_) @of-items) value: (array ${literal}))
[(as_expression ${literal} (_) @of-type) (satisfies_expression ${literal} (_) @of-type)]
[(arrow_function return_type: (type_annotation (_) @of-result) body: ${given}) (function_declaration return_type: (type_annotation (_) @of-result) body: ${given}) (method_definition return_type: (type_annotation (_) @of-result) body: ${given})]
(arrow_function body: ${given}) @argument @result
(variable_declarator name: (identifier) @typed value: [(arrow_function ${signature}) (function_expression ${signature})] @function)
(method_definition "get" name: (_) @name) @member.property @scope
(method_definition "get" name: (_) @typed return_type: (type_annotation (_) @of-type))
(method_definition "get" name: (_) @typed @getter !return_type) @function
${each('function_declaration method_definition', (form) => `(${form} name: (_) @typed ${signature}) @function`)}
${each('function_signature method_signature abstract_method_signature', (form) => `(${form} name: (_) @typed ${signature})`)}
(interface_declaration name: (_) @typed type_parameters: (_)? @outer body: (interface_body (call_signature ${signature}) @callable))
${each('class_declaration abstract_class_declaration interface_declaration', (form) => `(${form} name: (_) @typed type_parameters: (_) @generics)`)}
(type_alias_declaration name: (_) @typed type_parameters: (_)? @generics value: (_) @of-type)
(type_parameter name: (type_identifier) @typed constraint: (constraint (_) @of-type))
${each('required_parameter optional_parameter', (form) => `(${form} pattern: (identifier) @typed type: (type_annotation (_) @of-type))`)}
(required_parameter pattern: (identifier) @typed value: (_) @of-value)
(required_parameter pattern: (object_pattern ${parts}) type: (type_annotation (_) @of-type))
${each('public_field_definition property_signature', (form) => `(${form} name: (_) @typed type: (type_annotation (_) @of-type))`)}
(public_field_definition name: (_) @typed value: [(arrow_function parameters: (_) @takes return_type: (type_annotation (_) @gives)?) (function_expression parameters: (_) @takes return_type: (type_annotation (_) @gives)?)] @function)
(public_field_definition name: (_) @typed value: (_) @of-value)
(arrow_function parameters: ${untyped}) @argument
(variable_declarator type: (type_annotation (_) @of-callable) value: (arrow_function parameters: ${untyped}))
${each('class_declaration abstract_class_declaration', (form) => `(${form} name: (_) @extended (class_heritage (extends_clause value: (_) @of-type type_arguments: (_)? @type-arguments)))`)}
${each('class_declaration abstract_class_declaration', (form) => `(${form} name: (_) @extended (class_heritage (implements_clause (_) @of-type)))`)}
(interface_declaration name: (_) @extended (extends_type_clause type: (_) @of-type))
`;

const typescriptQuery = `${commonQuery}${narrowingQuery}${relationsQuery}${typedQuery}
(export_statement "=" (identifier) @export.whole)
${kinds('definition', 'name: (_) @name', { class: 'abstract_class_declaration', interface: 'interface_declaration', type: 'type_alias_declaration', enum: 'enum_declaration' })}
(enum_body name: (property_identifier) @name @member.constant)
${kinds('member', 'name: (property_identifier) @name', { constant: 'enum_assignment', property: 'property_signature' })}
(internal_module name: (identifier) @name) @definition.namespace
(internal_module body: (statement_block) @not-scope)
(function_signature name: (_) @name) @definition.function @scope
${each('abstract_method_signature method_signature', (form) => `(${form} name: (_) @name) @member.method @scope`)}
[(function_type) (constructor_type) (call_signature) (construct_signature) (class_declaration) (abstract_class_declaration) (interface_declaration) (type_alias_declaration)] @scope
(public_field_definition name: [(property_identifier) (private_property_identifier)] @name value: [(arrow_function) (function_expression)]) @member.method
(public_field_definition name: [(property_identifier) (private_property_identifier)] @name) @member.property
(required_parameter (accessibility_modifier) pattern: (identifier) @name) @member.property
(required_parameter "readonly" pattern: (identifier) @name) @member.property
${each('required_parameter optional_parameter', (form) => `(${form} pattern: (identifier) @parameter)`)}
(type_parameter name: (type_identifier) @parameter)
(infer_type (type_identifier) @parameter)
(type_identifier) @type
`;

const components = '(#any-of? @_wrap "memo" "forwardRef" "observer")';
const wrap = '[(identifier) @_wrap (member_expression property: (property_identifier) @_wrap)]';
const elements = (attribute: string): string =>
  `[(jsx_opening_element name: (_) @element attribute: ${attribute}) (jsx_self_closing_element name: (_) @element attribute: ${attribute})]`;

const tsxQuery = `${typescriptQuery}
${elements('(jsx_attribute . (property_identifier) @key)')}
${elements(`(jsx_attribute . (property_identifier) @attribute (jsx_expression [${literal} (array ${literal} @item)]))`)}
(variable_declarator name: (identifier) @typed value: (call_expression function: ${wrap} !type_arguments arguments: (arguments . [(arrow_function parameters: (_) @takes) (function_expression parameters: (_) @takes)])) ${components})
(jsx_attribute (property_identifier) @of-qualifier)
${each('jsx_opening_element jsx_self_closing_element', (form) => `(${form} name: (identifier) @of-qualifier (#match? @of-qualifier "^[a-z]"))`)}
`;

const exportsName =
  '[(identifier) @_exports (member_expression object: (identifier) @_module property: (property_identifier) @_exports)]';
const isExports = '(#eq? @_module "module") (#eq? @_exports "exports")';
const moduleExports = '(member_expression object: (identifier) @_module property: (property_identifier) @_exports)';

/** What CommonJS modules are, and give to others: https://nodejs.org/api/modules.html#moduleexports. */
const commonJsQuery = `
(assignment_expression left: ${moduleExports} right: (identifier) @export.whole ${isExports})
(assignment_expression left: ${moduleExports} right: (class name: (_) @name @export.whole) @definition.class ${isExports})
(assignment_expression left: ${moduleExports} right: (function_expression name: (_) @name @export.whole) @definition.function ${isExports})
(assignment_expression left: ${moduleExports} right: ${required} ${isExports} ${isRequired}) @import.all
(assignment_expression left: (member_expression object: ${exportsName} property: (property_identifier) @export.alias) right: (identifier) @export.name ${isExports} (#not-eq? @export.alias @export.name))
(assignment_expression left: (member_expression object: ${exportsName} property: (property_identifier) @import.module) right: ${required} ${isExports} ${isRequired})
`;

/** Values that have no name of their own. What is required is one of another file. */
const exportedValues = `[(array) (object) (string) (template_string) (number) (regex) (true) (false) (new_expression) (binary_expression) (ternary_expression) (member_expression object: (identifier)) (call_expression function: (member_expression)) (call_expression function: (identifier) @_called (#not-eq? @_called "require"))]`;

const javascriptQuery = `${commonQuery}${commonJsQuery}${narrowingQuery}${relationsQuery}
(program (expression_statement (assignment_expression left: (member_expression object: (identifier) @_exports property: (property_identifier) @name) right: ${functions} (#eq? @_exports "exports"))) @definition.function)
(program (expression_statement (assignment_expression left: (member_expression object: (member_expression property: (property_identifier) @_exports) property: (property_identifier) @name) right: ${functions} (#eq? @_exports "exports"))) @definition.function)
(assignment_expression left: (member_expression object: (this) property: [(property_identifier) (private_property_identifier)] @name @assigned)) @member.property
(program (expression_statement (assignment_expression left: (member_expression object: ${exportsName} property: (property_identifier) @name) right: ${exportedValues} ${isExports}))) @definition.variable
((program (expression_statement (assignment_expression left: (member_expression object: (identifier) @container property: (property_identifier) @name)) @member.property)) (#not-any-of? @container "exports" "module"))
(program (expression_statement (assignment_expression left: (member_expression object: (member_expression object: (identifier) @container property: (property_identifier) @_prototype) property: (property_identifier) @name) right: ${functions} (#eq? @_prototype "prototype"))) @member.method)
(class_declaration name: (_) @extended (class_heritage (_) @of-type))
(field_definition property: (_) @typed value: (_) @of-value)
(variable_declarator name: (identifier) @typed value: [(arrow_function parameters: (_) @takes) (function_expression parameters: (_) @takes)] @function)
${each('function_declaration method_definition', (form) => `(${form} name: (_) @typed parameters: (_) @takes) @function`)}
(arrow_function parameters: (formal_parameters (identifier) @typed @parameter-of)) @argument
(field_definition property: [(property_identifier) (private_property_identifier)] @name) @member.property
(formal_parameters (identifier) @parameter)
(formal_parameters (assignment_pattern left: (identifier) @parameter))
`;

const endings: readonly string[] = ['.ts', '.tsx', '.d.ts', '.js', '.jsx', '.mts', '.cts', '.mjs', '.cjs'];
/** In JavaScript, a script comes before its declaration file. */
const endingsForScripts = [...endings.filter((ending) => ending !== '.d.ts'), '.d.ts'];

function filesOf(place: string, wanted: readonly string[], tree: SourceTree): string[] {
  const bare = place.replace(/\.[cm]?[jt]sx?$/, '');
  // The source comes before what was compiled from it.
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

/** Where a module may be, the likeliest first. No extension is added. */
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

/** Type parameters that the grammar takes for a part of the line before, and the keywords `in` and `out`, which it does not know. */
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
