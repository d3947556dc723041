import type { ImportRequest, Language, SourceTree } from '@sextant/contracts';
import { each, kinds } from './grammar.ts';
import { jvm, jvmPackageOf, resolveJvmImport } from './jvm.ts';

const query = `
(package_clause name: (_) @name) @definition.package
${kinds('definition', 'name: (identifier) @name', { class: 'class_definition object_definition', trait: 'trait_definition', enum: 'enum_definition', variable: 'given_definition' })}
${each('simple_enum_case full_enum_case', (form) => `(${form} name: (identifier) @name) @member.constant`)}
(type_definition name: (type_identifier) @name) @definition.type
(class_parameters (class_parameter name: (identifier) @name) @member.property)
(template_body (function_definition name: (identifier) @name) @member.method)
(extension_definition body: (function_definition name: (identifier) @name) @member.method)
(template_body (function_declaration name: (identifier) @name) @member.method)
(template_body (val_definition pattern: (identifier) @name) @member.property)
(template_body (var_definition pattern: (identifier) @name) @member.property)
(template_body (val_declaration name: (identifier) @name) @member.property)
(function_definition name: (identifier) @name) @definition.function @scope
[(function_declaration) (block) (lambda_expression) (for_expression) (case_clause)] @scope
${each('val_definition var_definition', (form) => `(${form} pattern: (identifier) @name) @definition.variable`)}
(enumerator . (identifier) @parameter)
(lambda_expression parameters: (identifier) @parameter)
${each('parameter binding', (form) => `(${form} name: (identifier) @parameter)`)}
${each('case_clause case_class_pattern typed_pattern', (form) => `(${form} pattern: (identifier) @parameter)`)}
(tuple_pattern (identifier) @parameter)
(import_declaration path: (identifier) @import.name .) @import.source
(import_declaration (namespace_selectors (identifier) @import.name)) @import.source
(import_declaration (namespace_selectors (arrow_renamed_identifier name: (identifier) @import.name alias: (identifier) @import.alias))) @import.source
(import_declaration (namespace_wildcard)) @import.source @import.all
${each('parameter class_parameter', (form) => `(${form} name: (identifier) @typed type: (_) @of-type)`)}
${each('val_definition var_definition typed_pattern', (form) => `(${form} pattern: (identifier) @typed type: (_) @of-type)`)}
${each('val_definition var_definition', (form) => `(${form} pattern: (identifier) @typed value: (_) @of-value)`)}
${each('function_definition function_declaration', (form) => `(${form} name: (identifier) @typed return_type: (_) @gives) @function`)}
(enumerator . (identifier) @typed . (_) @of-element)
(arguments (lambda_expression parameters: (identifier) @typed @parameter-of) @argument)
${each('class_definition object_definition trait_definition', (form) => `(${form} name: (identifier) @extended extend: (extends_clause type: (type_identifier) @of-type))`)}
(call_expression function: (identifier) @call)
(call_expression function: (field_expression field: (identifier) @call))
(instance_expression (type_identifier) @call)
(type_identifier) @type
(field_expression value: (_) @qualifier field: (identifier) @of-qualifier)
[(identifier) (type_identifier)] @use
`;

/** `List[Item]` is `List<Item>`. Values stay as they are. */
const typeText = (text: string): string =>
  text.startsWith('=') ? text : text.replaceAll('[', '<').replaceAll(']', '>');

/** Packages in packages are one, whose name is as long. */
const repairs = [{ find: '(?<=^|\\n)package ([\\w.]+)\\r?\\npackage (\\w+)(?=\\s)', with: 'package $1.$2\n       ' }];

/** The source of an import is the whole of it: `import com.acme.{Text, Word => W}`. */
function placeOf({ module, name }: Pick<ImportRequest, 'module' | 'name'>): string {
  const place = /^import\s+([\w.]*\w)/.exec(module)?.[1] ?? module;
  const isWhole = name === '' || place.endsWith(`.${name}`);
  return isWhole ? place.replace(/\._$/, '') : `${place}.${name}`;
}

const resolveImport = ({ path, module, name }: ImportRequest, tree: SourceTree): Promise<readonly string[]> =>
  resolveJvmImport({ path, module: placeOf({ module, name }), name }, tree);

export const scala: Language = {
  ...jvm,
  name: 'scala',
  extensions: ['.scala', '.sc'],
  grammar: import.meta.resolve('tree-sitter-scala/tree-sitter-scala.wasm'),
  query,
  resolveImport,
  typeText,
  repairs,
  namespaces: { of: ({ module, name }) => jvmPackageOf({ module: placeOf({ module, name }), name }), separator: '.' },
};
