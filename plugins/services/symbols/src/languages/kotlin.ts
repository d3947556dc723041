import type { Language } from '@sextant/contracts';
import { each } from './grammar.ts';
import { jvm } from './jvm.ts';

const type = '[(user_type) (nullable_type)]';

const query = `
(package_header (qualified_identifier) @name) @definition.package
(class_declaration "interface" name: (identifier) @name) @definition.interface
(class_declaration (modifiers (class_modifier) @_enum) "class" name: (identifier) @name (#eq? @_enum "enum")) @definition.enum
(class_declaration "class" name: (identifier) @name) @definition.class
(object_declaration name: (identifier) @name) @definition.class
(enum_entry (identifier) @name) @member.constant
(type_alias type: (identifier) @name) @definition.type
(class_parameter ["val" "var"] (identifier) @name) @member.property
(class_parameter !name . (identifier) @parameter)
(class_body (property_declaration (variable_declaration (identifier) @name)) @member.property)
(class_body (function_declaration name: (identifier) @name) @member.method)
(function_declaration [(user_type . (identifier) @container) (nullable_type (user_type . (identifier) @container))] . name: (identifier) @name) @definition.function @scope
(property_declaration [(user_type . (identifier) @container) (nullable_type (user_type . (identifier) @container))] . (variable_declaration (identifier) @name)) @definition.property
(function_declaration name: (identifier) @name) @definition.function @scope
(property_declaration (multi_variable_declaration (variable_declaration (identifier) @name))) @definition.variable
(property_declaration (variable_declaration (identifier) @name)) @definition.variable
(when_subject (variable_declaration (identifier) @name)) @definition.variable
[(lambda_literal) (block)] @scope
(for_statement (variable_declaration (identifier) @parameter)) @scope
(parameter . (identifier) @parameter)
(lambda_parameters (variable_declaration (identifier) @parameter))
${each('lambda_parameters for_statement', (form) => `(${form} (multi_variable_declaration (variable_declaration (identifier) @parameter)))`)}
(catch_block (identifier) @parameter) @scope
(type_parameter (identifier) @parameter)
((import (qualified_identifier (identifier) @import.name .) @import.source .) @_import (#not-match? @_import "[*]$"))
(import (qualified_identifier (identifier) @import.name .) @import.source (identifier) @import.alias)
(import (qualified_identifier) @import.source "*") @import.all
(parameter . (identifier) @typed ${type} @of-type)
${each('variable_declaration class_parameter', (form) => `(${form} (identifier) @typed ${type} @of-type)`)}
${each('property_declaration when_subject', (form) => `(${form} (variable_declaration . (identifier) @typed .) . (_) @of-value)`)}
(function_declaration name: (identifier) @typed (function_value_parameters) . ${type} @gives) @function
(function_declaration name: (identifier) @typed (function_value_parameters) . (function_body)) @function
(function_body . [(call_expression) (navigation_expression) (identifier)] @returned .)
(return_expression (_) @returned)
(for_statement (variable_declaration . (identifier) @typed .) . (_) @of-element)
(class_declaration name: (identifier) @extended (delegation_specifiers (delegation_specifier [(user_type (identifier) @of-type) (constructor_invocation (user_type (identifier) @of-type))])))
(call_expression . (identifier) @call)
(call_expression . (navigation_expression (identifier) @call .))
(constructor_invocation (user_type (identifier) @call))
(user_type (identifier) @type)
(navigation_expression . (_) @qualifier (identifier) @of-qualifier .)
((string_content) @_sign . (string_content) @first-word (#eq? @_sign "$"))
(identifier) @use
`;

export const kotlin: Language = {
  ...jvm,
  name: 'kotlin',
  extensions: ['.kt', '.kts'],
  grammar: import.meta.resolve('@tree-sitter-grammars/tree-sitter-kotlin/tree-sitter-kotlin.wasm'),
  query,
};
