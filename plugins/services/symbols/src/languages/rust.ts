import type { Language } from '@sextant/contracts';
import { cratesOf } from './cargo.ts';
import { grammarURL } from './grammar.ts';
import { resolveRustImport, rustManifests } from './rust-imports.ts';

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
/** Lists in lists, as deep as they are looked at. */
const trees = [used, itself, listOf(used), listOf(itself), listOf(listOf(used)), listOf(listOf(listOf(used)))];

/** The source of an import is all that stands behind `use`, or the whole of `mod name;`. */
const importQuery = `
${trees.map((tree) => `(use_declaration argument: ${tree} @import.source)`).join('\n')}
(mod_item name: (identifier) @import.module !body) @import.source
`;

const query = `${importQuery}
(struct_item name: (type_identifier) @name) @definition.struct
(union_item name: (type_identifier) @name) @definition.struct
(enum_item name: (type_identifier) @name) @definition.enum
(enum_variant name: (identifier) @name) @member.constant
(trait_item name: (type_identifier) @name) @definition.trait
(type_item name: (type_identifier) @name) @definition.type
(const_item name: (identifier) @name) @definition.constant
(static_item name: (identifier) @name) @definition.constant
(mod_item name: (identifier) @name body: (_)) @definition.module
(macro_definition name: (identifier) @name) @definition.macro
(function_item name: (identifier) @name) @definition.function @scope
(trait_item body: (declaration_list (function_signature_item name: (identifier) @name) @member.method))
(associated_type name: (type_identifier) @name) @member.type
(trait_item body: (declaration_list (const_item name: (identifier) @name) @member.constant))
(impl_item type: (type_identifier) @container body: (declaration_list (const_item name: (identifier) @name) @member.constant))
(trait_item body: (declaration_list (function_item name: (identifier) @name) @member.method))
(impl_item type: (type_identifier) @container body: (declaration_list (function_item name: (identifier) @name) @member.method))
(impl_item type: (generic_type type: (type_identifier) @container) body: (declaration_list (function_item name: (identifier) @name) @member.method))
(field_declaration name: (field_identifier) @name) @member.property
(block) @scope
(closure_expression) @scope
(for_expression pattern: (identifier) @parameter) @scope
(let_declaration pattern: (identifier) @name) @definition.variable
(if_expression) @scope
(while_expression) @scope
(match_arm) @scope
(tuple_pattern (identifier) @local)
(tuple_struct_pattern type: (_) (identifier) @local)
(field_pattern name: (shorthand_field_identifier) @local)
(field_pattern pattern: (identifier) @local)
(mut_pattern (identifier) @local)
(ref_pattern (identifier) @local)
(reference_pattern (identifier) @local)
(captured_pattern . (identifier) @local)
(let_condition pattern: (identifier) @local)
(match_pattern . (identifier) @local . (#match? @local "^[a-z_]"))
(parameter pattern: (identifier) @parameter)
(closure_parameters (identifier) @parameter)
(type_parameter name: (type_identifier) @parameter)
(parameter pattern: [(identifier) @typed (mut_pattern (identifier) @typed)] type: (_) @of-type)
(let_declaration pattern: [(identifier) @typed (mut_pattern (identifier) @typed)] type: (_) @of-type)
(let_declaration pattern: [(identifier) @typed (mut_pattern (identifier) @typed)] value: (_) @of-value)
(field_declaration name: (field_identifier) @typed type: (_) @of-type)
(const_item name: (identifier) @typed type: (_) @of-type)
(static_item name: (identifier) @typed type: (_) @of-type)
(type_item name: (type_identifier) @typed type: (_) @of-type)
(function_item name: (identifier) @typed return_type: (_)? @gives) @function
(function_signature_item name: (identifier) @typed return_type: (_)? @gives) @function
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
(type_identifier) @type
[(identifier) (field_identifier) (shorthand_field_identifier)] @use
`;

/** `&'a mut goods::Item` is an `Item`. Values stay as they are. */
const typeText = (text: string): string =>
  text.startsWith('=') ? text : text.replace(/'\w+\s*|\b(?:impl|dyn|mut)\s+|\b(?:[a-z_]\w*::)+(?=[A-Z])/g, '');

export const rust: Language = {
  name: 'rust',
  family: 'rust',
  extensions: ['.rs'],
  grammar: grammarURL('rust'),
  query,
  visibility: 'everywhere',
  resolveImport: resolveRustImport,
  typeText,
  importOf: (qualifier, name) => (/^[a-z]\w*(::\w+)*$/.test(qualifier) ? `${qualifier}::${name}` : undefined),
  packageNames: async (tree) => (await tree.derived(cratesOf)).map(({ name }) => name),
  manifestsOf: rustManifests,
};
