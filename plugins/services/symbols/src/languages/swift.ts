import type { Language } from '@sextant/contracts';
import { each, kinds } from './grammar.ts';

/** What stands in a type or in an extension of one, which gives it the name of the type. */
const member = (pattern: string, kind: string): string => `
(class_declaration name: (type_identifier) body: (_ (${pattern}) @member.${kind}))
(class_declaration "extension" name: (user_type (type_identifier) @container .) body: (_ (${pattern}) @member.${kind}))
`;

const type = '[(user_type) (optional_type) (array_type)]';

const query = `
(class_declaration ["class" "actor"] name: (type_identifier) @name) @definition.class
(class_declaration "struct" name: (type_identifier) @name) @definition.struct
(class_declaration "enum" name: (type_identifier) @name) @definition.enum
${kinds('definition', 'name: (type_identifier) @name', { interface: 'protocol_declaration', type: 'typealias_declaration' })}
(associatedtype_declaration name: (type_identifier) @name) @member.type
${member('function_declaration name: (simple_identifier) @name', 'method')}
${member('property_declaration name: (pattern bound_identifier: (simple_identifier) @name)', 'property')}
${kinds('member', 'name: (simple_identifier) @name', { method: 'protocol_function_declaration', constant: 'enum_entry' })}
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @member.property
(function_declaration name: (simple_identifier) @name) @definition.function @scope
(property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.variable
(init_declaration "init" @name) @member.constructor @scope
[(lambda_literal) (for_statement) (if_statement) (while_statement) (function_body) (computed_property)] @scope
(guard_statement bound_identifier: (simple_identifier) @name) @definition.variable
(for_statement item: (pattern bound_identifier: (simple_identifier) @parameter))
(if_statement bound_identifier: (simple_identifier) @parameter)
${each('parameter lambda_parameter', (form) => `(${form} name: (simple_identifier) @parameter)`)}
(type_parameter . (type_identifier) @parameter)
(import_declaration (identifier) @import.source) @import.all
(parameter name: (simple_identifier) @typed ${type} @of-type)
${each('property_declaration protocol_property_declaration', (form) => `(${form} name: (pattern bound_identifier: (simple_identifier) @typed) (type_annotation ${type} @of-type))`)}
(property_declaration name: (pattern bound_identifier: (simple_identifier) @typed) value: (_) @of-value)
${each('function_declaration protocol_function_declaration', (form) => `(${form} name: (simple_identifier) @typed name: ${type} @gives) @function`)}
${each('if_statement guard_statement', (form) => `(${form} bound_identifier: (simple_identifier) @typed . condition: (_) @of-value)`)}
(for_statement item: (pattern bound_identifier: (simple_identifier) @typed) collection: (_) @of-element)
${each('class_declaration protocol_declaration', (form) => `(${form} name: (type_identifier) @extended (inheritance_specifier inherits_from: (user_type (type_identifier) @of-type .)))`)}
(call_expression . (simple_identifier) @call)
(call_expression . (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @call)))
(navigation_expression target: (_) @qualifier suffix: (navigation_suffix suffix: (simple_identifier) @of-qualifier))
(prefix_expression target: (simple_identifier) @of-qualifier)
(value_argument_label (simple_identifier) @keyword)
(parameter external_name: (simple_identifier) @keyword)
(user_type (type_identifier) @type)
[(simple_identifier) (type_identifier)] @use
`;

/** The folder of a target of a package: `Sources/Shop/Item.swift` is of the module `Shop`. */
const targetFolder = /(?:^|\/)(?:Sources|Tests)\/([^/]+)\//;

export const swift: Language = {
  name: 'swift',
  family: 'swift',
  extensions: ['.swift'],
  grammar: import.meta.resolve('@repomix/tree-sitter-wasms/out/tree-sitter-swift.wasm'),
  query,
  visibility: 'everywhere',
  hasBareMembers: true,
  namespaces: { of: ({ module }) => module.split('.')[0], at: (path) => targetFolder.exec(path)?.[1] },
};
