import type { Language } from '@sextant/contracts';
import { grammarURL } from './grammar.ts';
import { phpManifests, phpNamespaceOf, phpNamespaces, resolvePhpImport } from './php-imports.ts';

const query = `
(namespace_definition name: (namespace_name) @name) @definition.package
(class_declaration name: (name) @name) @definition.class
(interface_declaration name: (name) @name) @definition.interface
(trait_declaration name: (name) @name) @definition.trait
(enum_declaration name: (name) @name) @definition.enum
(enum_case name: (name) @name) @member.constant
(class_declaration body: (declaration_list (const_declaration (const_element (name) @name) @member.constant)))
(const_declaration (const_element . (name) @name)) @definition.constant
(property_declaration (property_element name: (variable_name (name) @name))) @member.property
(method_declaration name: (name) @name) @member.method @scope
(function_definition name: (name) @name) @definition.function @scope
(property_promotion_parameter name: (variable_name (name) @name)) @member.property
(anonymous_function) @scope
(arrow_function) @scope
(simple_parameter name: (variable_name (name) @parameter))
(variadic_parameter name: (variable_name (name) @parameter))
(assignment_expression left: (variable_name (name) @name)) @definition.variable
(foreach_statement (pair (variable_name (name) @local)))
(foreach_statement (_) . (variable_name (name) @local))
(catch_clause name: (variable_name (name) @local))
(simple_parameter type: (_) @of-type name: (variable_name (name) @typed))
(property_promotion_parameter type: (_) @of-type name: (variable_name (name) @typed))
(property_declaration type: (_) @of-type (property_element name: (variable_name (name) @typed)))
(assignment_expression left: (variable_name (name) @typed) right: (_) @of-value)
(foreach_statement (_) @of-element . (variable_name (name) @typed))
(method_declaration name: (name) @typed return_type: (_)? @gives) @function
(function_definition name: (name) @typed return_type: (_)? @gives) @function
(return_statement (_) @returned)
(class_declaration name: (name) @extended (base_clause (name) @of-type))
(class_declaration name: (name) @extended (class_interface_clause (name) @of-type))
(class_declaration name: (name) @extended body: (declaration_list (use_declaration (name) @of-type)))
(interface_declaration name: (name) @extended (base_clause (name) @of-type))
(base_clause [(name) @type (qualified_name (name) @type)])
(class_interface_clause [(name) @type (qualified_name (name) @type)])
(use_declaration [(name) @type (qualified_name (name) @type)])
(function_call_expression function: (name) @call)
(member_call_expression name: (name) @call)
(scoped_call_expression name: (name) @call)
(object_creation_expression [(name) @call (qualified_name (name) @call)])
(function_call_expression function: (qualified_name (name) @call))
(qualified_name prefix: (_) @qualifier (name) @of-qualifier)
(named_type (name) @type)
(named_type (qualified_name (name) @type))
(member_call_expression object: (_) @qualifier name: (name) @of-qualifier)
(member_access_expression object: (_) @qualifier name: (name) @of-qualifier)
(nullsafe_member_call_expression object: (_) @qualifier name: (name) @of-qualifier)
(nullsafe_member_call_expression name: (name) @call)
(nullsafe_member_access_expression object: (_) @qualifier name: (name) @of-qualifier)
(scoped_property_access_expression scope: (_) @qualifier name: (variable_name (name) @of-qualifier))
(scoped_call_expression scope: (_) @qualifier name: (name) @of-qualifier)
(class_constant_access_expression (_) @qualifier (name) @of-qualifier)
(namespace_use_declaration (namespace_use_clause (qualified_name (name) @import.name) @import.source !alias))
(namespace_use_declaration (namespace_use_clause (qualified_name (name) @import.name) @import.source alias: (name) @import.alias))
(namespace_use_declaration (namespace_use_group (namespace_use_clause [(name) @import.name (qualified_name (name) @import.name)] !alias))) @import.source
(namespace_use_declaration (namespace_use_group (namespace_use_clause . [(name) @import.name (qualified_name (name) @import.name)] alias: (name) @import.alias))) @import.source
(name) @use
`;

/** `?Parts\Lid` is `Parts.Lid`. Values stay as they are. */
const typeText = (text: string): string =>
  text.replace(/^(?!=)[^=]*|(?<==>)(?!=).*/g, (type) => type.replace(/^\?|(?<=\W)\\|^\\/g, '').replaceAll('\\', '.'));

export const php: Language = {
  name: 'php',
  family: 'php',
  extensions: ['.php'],
  grammar: grammarURL('php'),
  query,
  visibility: 'everywhere',
  resolveImport: resolvePhpImport,
  namespaces: { of: phpNamespaceOf },
  typeText,
  importOf: (qualifier, name) => (/^\\?[A-Z]\w*(\\\w+)*$/.test(qualifier) ? `${qualifier}\\${name}` : undefined),
  packageNames: phpNamespaces,
  manifestsOf: phpManifests,
};
