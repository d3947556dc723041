import type { ImportRequest, Language, SourceTree } from '@sextant/contracts';
import { joinPath } from '../paths.ts';
import { each, kinds, ofCollection } from './grammar.ts';
import { manifestsIn } from './tree-files.ts';

/** A local name on the left of `:=`, which it defines unless it is there already. */
const left = '(expression_list (identifier) @name @assigned)';
const one = '(expression_list . (identifier) @typed .)';
const namedType = '[(type_identifier) (qualified_type) (generic_type type: (_))]';
const keys = '(literal_value (keyed_element . (literal_element (identifier) @key)))';

const definitionsQuery = `
(package_clause (package_identifier) @name) @definition.package
(function_declaration name: (identifier) @name) @definition.function @scope
(method_declaration receiver: (parameter_list (parameter_declaration type: (type_identifier) @container)) name: (field_identifier) @name) @member.method @scope
(method_declaration receiver: (parameter_list (parameter_declaration type: (pointer_type (type_identifier) @container))) name: (field_identifier) @name) @member.method @scope
(method_declaration receiver: (parameter_list (parameter_declaration type: (generic_type type: (type_identifier) @container))) name: (field_identifier) @name) @member.method @scope
(method_declaration receiver: (parameter_list (parameter_declaration type: (pointer_type (generic_type type: (type_identifier) @container)))) name: (field_identifier) @name) @member.method @scope
${each('method_declaration method_elem', (form) => `(${form} name: (field_identifier) @name) @member.method @scope`)}
[(func_literal) (block) (for_statement) (if_statement) (expression_switch_statement) (type_switch_statement) (expression_case) (type_case) (default_case) (communication_case)] @scope
${each('function_declaration method_declaration func_literal', (form) => `(${form} body: (block) @not-scope)`)}
(type_spec name: (type_identifier) @name type: (struct_type)) @definition.struct
(type_spec name: (type_identifier) @name type: (interface_type)) @definition.interface
${each('type_spec type_alias', (form) => `(${form} name: (type_identifier) @name) @definition.type`)}
(field_declaration name: (field_identifier) @name) @member.property
(field_declaration !name type: [(type_identifier) @name @used-too (qualified_type name: (_) @name @used-too)]) @member.property
${kinds('definition', 'name: (identifier) @name', { constant: 'const_spec', variable: 'var_spec' })}
${each('short_var_declaration receive_statement', (form) => `(${form} left: ${left}) @definition.variable`)}
(type_switch_statement alias: (expression_list (identifier) @name)) @definition.variable
(range_clause left: (expression_list (identifier) @parameter))
${each('parameter_declaration variadic_parameter_declaration type_parameter_declaration', (form) => `(${form} name: (identifier) @parameter)`)}
(import_spec !name path: (_ (_) @import.source @import.module))
(import_spec name: (package_identifier) @import.module path: (_ (_) @import.source))
(import_spec name: (dot) path: (_ (_) @import.source)) @import.all
`;

/** Where the types of names come from. */
const relationsQuery = `
${each('function_declaration method_declaration method_elem', (form) => `(${form} name: (_) @typed result: (_)? @gives) @function`)}
(short_var_declaration left: ${one} right: (expression_list . (func_literal result: (_)? @gives) @function .))
${each('parameter_declaration var_spec const_spec', (form) => `(${form} name: (identifier) @typed type: (_) @of-type)`)}
(field_declaration name: (field_identifier) @typed type: (_) @of-type)
(field_declaration !name type: (type_identifier) @typed @of-type)
(field_declaration !name type: (qualified_type name: (_) @typed) @of-type)
(var_spec name: (identifier) @typed value: (expression_list . (_) @of-value .))
(type_spec name: (_) @typed type: [(type_identifier) (qualified_type) (slice_type) (array_type) (map_type) (function_type) (pointer_type) (channel_type)] @of-type)
(type_alias name: (_) @typed type: (_) @of-type)
(type_spec name: (_) @extended type: (struct_type (field_declaration_list (field_declaration !name type: [(type_identifier) (qualified_type)] @of-type))))
(type_spec name: (_) @extended type: (interface_type (type_elem . [(type_identifier) (qualified_type)] @of-type .)))
(short_var_declaration left: ${one} right: (expression_list . (call_expression arguments: (argument_list . [(slice_type) (map_type) (channel_type)] @of-type)) .))
(short_var_declaration left: ${one} right: (expression_list . (call_expression function: (identifier) @_new arguments: (argument_list . (type_identifier) @of-type)) .) (#eq? @_new "new"))
(short_var_declaration left: (expression_list . (identifier) @typed) right: (expression_list . [(index_expression) (type_assertion_expression) (unary_expression)] @of-value .))
(short_var_declaration left: (expression_list (identifier) @typed @by-index) right: (expression_list . (_) @of-value .))
(short_var_declaration left: (expression_list . (identifier) @typed . (_)) right: (expression_list . (_) @of-value . (_)))
(short_var_declaration left: (expression_list . (_) . (identifier) @typed) right: (expression_list . (_) . (_) @of-value))
(receive_statement left: (expression_list . (identifier) @typed) right: (_) @of-value)
(range_clause left: (expression_list (_) . (identifier) @typed) right: (_) @of-element)
(type_switch_statement alias: (expression_list (identifier) @typed) value: (_) @of-value)
(composite_literal type: ${namedType} @of-type body: ${keys})
(composite_literal type: (struct_type) @of-type body: ${keys})
(composite_literal type: [(slice_type) (array_type) (implicit_length_array_type)] @of-items body: (literal_value (literal_element ${keys})))
(composite_literal type: (map_type) @of-items body: (literal_value (keyed_element (literal_element ${keys}) .)))
`;

const query = `${definitionsQuery}${relationsQuery}
(call_expression function: (identifier) @call)
(call_expression function: (selector_expression field: (field_identifier) @call))
(selector_expression operand: (_) @qualifier field: (field_identifier) @of-qualifier)
(qualified_type package: (package_identifier) @qualifier name: (type_identifier) @of-qualifier)
(type_identifier) @type
[(identifier) (field_identifier) (package_identifier)] @use
`;

/** The module paths of a repository with their folders. */
async function modulesOf(tree: SourceTree): Promise<[module: string, folder: string][]> {
  const manifests = await manifestsIn(tree, tree.named('go.mod'));
  return manifests.flatMap(({ text, folder }): [string, string][] => {
    const module = /^module\s+"?([^\s"]+)/m.exec(text)?.[1];
    return module === undefined ? [] : [[module, folder]];
  });
}

async function resolveImport({ module }: ImportRequest, tree: SourceTree): Promise<string[]> {
  const own = (await tree.derived(modulesOf)).filter(([name]) => module === name || module.startsWith(`${name}/`));
  const [name, folder = ''] = own.toSorted(([a], [b]) => b.length - a.length)[0] ?? [];
  const below = name === undefined ? '' : module.slice(name.length + 1);
  const place = below === '' ? folder : joinPath(folder, below);
  return tree
    .inFolder(name === undefined ? `vendor/${module}` : place)
    .filter((path) => path.endsWith('.go') && !path.endsWith('_test.go'));
}

export const go: Language = {
  ...ofCollection('go'),
  extensions: ['.go'],
  query,
  visibility: 'folder',
  resolveImport,
  packageNames: async (tree) => (await tree.derived(modulesOf)).map(([module]) => module),
  manifestsOf: (module) => {
    const parts = module.split('/');
    if (!parts[0]?.includes('.')) return [];
    return parts.map((_, end) => ({ file: 'go.mod', text: `module ${parts.slice(0, parts.length - end).join('/')}` }));
  },
};
