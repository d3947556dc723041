import type { Language } from '@sextant/contracts';
import { each, grammarURL, kinds } from './grammar.ts';
import { jvm } from './jvm.ts';

/** What has its type before its name. */
const typed = (form: string, name: string): string =>
  `((${form} type: (_) @of-type ${name}) (#not-eq? @of-type "var"))`;

const query = `
(package_declaration (_) @name) @definition.package
${kinds('definition', 'name: (identifier) @name', { class: 'class_declaration record_declaration', interface: 'interface_declaration annotation_type_declaration', enum: 'enum_declaration', variable: 'resource instanceof_expression' })}
${kinds('member', 'name: (identifier) @name', { constant: 'enum_constant', method: 'annotation_type_element_declaration' })}
${each('field_declaration constant_declaration', (form) => `(${form} declarator: (variable_declarator name: (identifier) @name)) @member.property`)}
(record_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @name) @member.property))
(method_declaration name: (identifier) @name) @member.method @scope
(constructor_declaration name: (identifier) @name) @member.constructor @scope
[(lambda_expression) (block) (try_with_resources_statement)] @scope
(enhanced_for_statement name: (identifier) @parameter) @scope
(formal_parameter name: (identifier) @parameter)
(spread_parameter (variable_declarator name: (identifier) @parameter))
(inferred_parameters (identifier) @parameter)
(lambda_expression parameters: (identifier) @parameter)
(catch_clause (catch_formal_parameter name: (identifier) @parameter)) @scope
${['resource', 'enhanced_for_statement', 'formal_parameter'].map((form) => typed(form, 'name: (identifier) @typed')).join('\n')}
${['local_variable_declaration', 'field_declaration', 'constant_declaration'].map((form) => typed(form, 'declarator: (variable_declarator name: (identifier) @typed)')).join('\n')}
(instanceof_expression right: (_) @of-type name: (identifier) @typed)
(local_variable_declaration type: (type_identifier) @_var declarator: (variable_declarator name: (identifier) @typed value: (_) @of-value) (#eq? @_var "var"))
(resource type: (type_identifier) @_var name: (identifier) @typed value: (_) @of-value (#eq? @_var "var"))
(enhanced_for_statement type: (type_identifier) @_var name: (identifier) @typed value: (_) @of-element (#eq? @_var "var"))
${each('class_declaration interface_declaration', (form) => `(${form} name: (identifier) @typed type_parameters: (_) @generics)`)}
(method_declaration type: (_) @gives name: (identifier) @typed) @function
(argument_list (lambda_expression parameters: (identifier) @typed @parameter-of) @argument)
(local_variable_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.variable
(type_parameter (type_identifier) @parameter)
(import_declaration (scoped_identifier name: (identifier) @import.name) @import.source .)
(import_declaration (scoped_identifier) @import.source (asterisk)) @import.all
(class_declaration name: (identifier) @extended superclass: (superclass (type_identifier) @of-type))
(class_declaration name: (identifier) @extended interfaces: (super_interfaces (type_list (type_identifier) @of-type)))
(interface_declaration name: (identifier) @extended (extends_interfaces (type_list (type_identifier) @of-type)))
(method_invocation name: (identifier) @call)
(method_invocation object: (_) @qualifier name: (identifier) @of-qualifier)
(field_access object: (_) @qualifier field: (identifier) @of-qualifier)
(method_reference . (_) @qualifier (identifier) @of-qualifier .)
(object_creation_expression type: [(type_identifier) @call (generic_type (type_identifier) @call)])
${each('marker_annotation annotation', (form) => `(${form} name: (identifier) @type)`)}
(type_identifier) @type
(identifier) @use
`;

export const java: Language = {
  ...jvm,
  name: 'java',
  extensions: ['.java'],
  grammar: grammarURL('java'),
  query,
};
