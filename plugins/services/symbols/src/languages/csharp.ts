import type { Language } from '@sextant/contracts';
import { each, grammarURL, kinds } from './grammar.ts';

const type = '[(identifier) (generic_name) (nullable_type) (array_type) (qualified_name) (tuple_type)]';

const query = `
${each('namespace_declaration file_scoped_namespace_declaration', (form) => `(${form} name: (_) @name) @definition.package`)}
(using_directive !name (_) @import.source) @import.all
(using_directive name: (identifier) @import.alias (qualified_name name: (identifier) @import.name) @import.source)
${kinds('definition', 'name: (identifier) @name', { class: 'class_declaration record_declaration', struct: 'struct_declaration', interface: 'interface_declaration', enum: 'enum_declaration', type: 'delegate_declaration', variable: 'declaration_pattern declaration_expression' })}
${kinds('member', 'name: (identifier) @name', { constant: 'enum_member_declaration', property: 'property_declaration' })}
${each('field_declaration event_field_declaration', (form) => `(${form} (variable_declaration (variable_declarator name: (identifier) @name))) @member.property`)}
(constructor_declaration name: (identifier) @name) @member.constructor @scope
(method_declaration name: (identifier) @name parameters: (parameter_list . (parameter (modifier) @_this type: [(identifier) @container (generic_name . (identifier) @container)])) (#eq? @_this "this")) @member.method @scope
(method_declaration name: (identifier) @name) @member.method @scope
(local_function_statement name: (identifier) @name) @definition.function @scope
[(lambda_expression) (block)] @scope
(record_declaration (parameter_list (parameter name: (identifier) @name) @member.property))
${each('parameter parameter_list type_parameter', (form) => `(${form} name: (identifier) @parameter)`)}
(implicit_parameter) @parameter
(catch_clause (catch_declaration name: (identifier) @parameter)) @scope
(foreach_statement left: (identifier) @parameter) @scope
${each('local_declaration_statement using_statement', (form) => `(${form} (variable_declaration (variable_declarator name: (identifier) @name))) @definition.variable`)}
${['parameter', 'property_declaration', 'declaration_pattern'].map((form) => `(${form} type: ${type} @of-type name: (identifier) @typed)`).join('\n')}
(variable_declaration type: ${type} @of-type (variable_declarator name: (identifier) @typed))
(variable_declaration type: (implicit_type) (variable_declarator name: (identifier) @typed (_) @of-value))
(foreach_statement type: ${type} @of-type left: (identifier) @typed)
(foreach_statement type: (implicit_type) left: (identifier) @typed right: (_) @of-element)
${each('class_declaration interface_declaration', (form) => `(${form} name: (identifier) @typed (type_parameter_list) @generics)`)}
(method_declaration returns: (_) @gives name: (identifier) @typed) @function
(local_function_statement type: (_) @gives name: (identifier) @typed) @function
${each('class_declaration interface_declaration', (form) => `(${form} name: (identifier) @extended (base_list [(identifier) @of-type (generic_name (identifier) @of-type)]))`)}
(_ type: (identifier) @type)
(_ returns: (identifier) @type)
${each('base_list type_argument_list generic_name', (form) => `(${form} (identifier) @type)`)}
(attribute name: (identifier) @type)
(invocation_expression function: (identifier) @call)
(invocation_expression function: (member_access_expression name: (identifier) @call))
(object_creation_expression type: [(identifier) @call (generic_name (identifier) @call) (qualified_name name: (identifier) @call)])
(qualified_name qualifier: (_) @qualifier name: (identifier) @of-qualifier)
(member_access_expression expression: (_) @qualifier name: (identifier) @of-qualifier)
(member_access_expression name: (identifier) @of-qualifier)
(identifier) @use
`;

/** `Acme.Shop.Item` is of the namespace `Acme.Shop`. */
const namespaceOf = ({ module, name }: { readonly module: string; readonly name: string }): string =>
  name !== '' && module.endsWith(`.${name}`) ? module.slice(0, -name.length - 1) : module;

/** `#if DEBUG` and the like may stand inside of any code. They become comments, and so does what follows `#else`. */
const repairs = [
  { find: '(?<=(?:^|\\n)[ \\t]*)#e(lse\\b[^#]{0,4000}\\n[ \\t]*)#endif\\b', with: '/*$1    */' },
  { find: '(?<=(?:^|\\n)[ \\t]*)#(?:i(?=f\\b)|e(?=(?:lif|lse|ndif)\\b))', with: '//' },
];

export const csharp: Language = {
  name: 'csharp',
  family: 'csharp',
  extensions: ['.cs'],
  grammar: grammarURL('c-sharp'),
  query,
  visibility: 'everywhere',
  hasBareMembers: true,
  repairs,
  namespaces: { of: namespaceOf, separator: '.' },
  importOf: (qualifier, name) => (/^[A-Z]\w*(\.[A-Z]\w*)*$/.test(qualifier) ? `${qualifier}.${name}` : undefined),
};
