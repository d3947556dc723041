import type { Language } from '@sextant/contracts';
import { grammarURL } from './grammar.ts';

const query = `
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
(trait_item body: (declaration_list (function_item name: (identifier) @name) @member.method))
(impl_item type: (type_identifier) @container body: (declaration_list (function_item name: (identifier) @name) @member.method))
(impl_item type: (generic_type type: (type_identifier) @container) body: (declaration_list (function_item name: (identifier) @name) @member.method))
(field_declaration name: (field_identifier) @name) @member.property
(block) @scope
(closure_expression) @scope
(for_expression pattern: (identifier) @parameter) @scope
(let_declaration pattern: (identifier) @name) @definition.variable
(parameter pattern: (identifier) @parameter)
(closure_parameters (identifier) @parameter)
(type_parameter name: (type_identifier) @parameter)
(parameter pattern: (identifier) @typed type: [(type_identifier) @of-type (reference_type type: (type_identifier) @of-type)])
(let_declaration pattern: (identifier) @typed type: (type_identifier) @of-type)
(let_declaration pattern: (identifier) @typed value: (call_expression function: (scoped_identifier path: (identifier) @of-type)))
(field_declaration name: (field_identifier) @typed type: (type_identifier) @of-type)
(call_expression function: (identifier) @call)
(call_expression function: (field_expression field: (field_identifier) @call))
(call_expression function: (scoped_identifier name: (identifier) @call))
(macro_invocation macro: (identifier) @call)
(field_expression value: (_) @qualifier field: (field_identifier) @of-qualifier)
(call_expression function: (scoped_identifier path: (identifier) @qualifier name: (identifier) @of-qualifier))
(type_identifier) @type
[(identifier) (field_identifier) (shorthand_field_identifier)] @use
`;

export const rust: Language = {
  name: 'rust',
  family: 'rust',
  extensions: ['.rs'],
  grammar: grammarURL('rust'),
  query,
  visibility: 'everywhere',
};
