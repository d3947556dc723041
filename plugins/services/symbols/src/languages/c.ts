import { posix } from 'node:path';
import type { ImportRequest, Language, SourceTree } from '@sextant/contracts';
import { folderOf } from '../paths.ts';
import { each, grammarURL, kinds } from './grammar.ts';
import { filesEnding } from './tree-files.ts';

/** Patterns of a declarator behind one or two stars. */
const pointed = (of: string): string[] => {
  const one = `(pointer_declarator declarator: ${of})`;
  return [one, `(pointer_declarator declarator: ${one})`];
};

/** Patterns of a declarator of a function, with stars or `&` of its result type around it. */
const declared = (of: string): string[] => [of, ...pointed(of), `(reference_declarator ${of})`];

const functionPointer = (name: string): string =>
  `(function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (${name}) @name)))`;

/** Patterns of declarators of variables. */
const variables = (name: string): string[] => {
  const array = `(array_declarator declarator: (${name}) @name)`;
  return [
    `(${name}) @name`,
    ...pointed(`(${name}) @name`),
    array,
    `(pointer_declarator declarator: ${array})`,
    functionPointer(name),
  ];
};

/** `Store::open`, as the body of a member names itself outside of its type. */
const memberOf =
  '(qualified_identifier scope: [(namespace_identifier) @container (template_type name: (type_identifier) @container)] name: (identifier) @name)';

const typeName =
  '[(type_identifier) @of-type (qualified_identifier) @of-type (template_type) @of-type (struct_specifier name: (type_identifier) @of-type)]';
const givenName = '[(type_identifier) (qualified_identifier) (template_type)] @gives';
/** `auto one`, `auto *one`, `auto &one`. */
const automatic =
  '[(identifier) @typed (pointer_declarator declarator: (identifier) @typed) (reference_declarator (identifier) @typed)]';
const typedName = '[(identifier) (field_identifier)] @typed';
const typed = [
  typedName,
  ...pointed(typedName),
  `(reference_declarator ${typedName})`,
  `(init_declarator declarator: [${typedName} ${pointed(typedName).join(' ')}])`,
].join(' ');

const query = `
${kinds('definition', 'name: (type_identifier) @name body: (_)', { class: 'class_specifier', struct: 'struct_specifier union_specifier', enum: 'enum_specifier' })}
${kinds('definition', 'name: (identifier) @name', { constant: 'enumerator', macro: 'preproc_def preproc_function_def' })}
(namespace_definition name: [(namespace_identifier) (nested_namespace_specifier)] @name) @definition.namespace
(type_definition declarator: [(type_identifier) @name (array_declarator declarator: (type_identifier) @name) (pointer_declarator declarator: (type_identifier) @name) ${functionPointer('type_identifier')}]) @definition.type
(alias_declaration name: (type_identifier) @name) @definition.type
${declared('(function_declarator declarator: (identifier) @name)')
  .map((form) => `(function_definition declarator: ${form}) @definition.function @scope`)
  .join('\n')}
${declared('(function_declarator declarator: (field_identifier) @name)')
  .map(
    (form) =>
      `(function_definition declarator: ${form}) @member.method @scope\n(field_declaration declarator: ${form}) @member.method`,
  )
  .join('\n')}
${[memberOf, `(qualified_identifier name: ${memberOf})`]
  .map((name) => `(function_declarator declarator: ${name})`)
  .flatMap(declared)
  .map((form) => `(function_definition declarator: ${form}) @member.method @scope`)
  .join('\n')}
(field_declaration_list (function_definition declarator: (function_declarator declarator: (identifier) @name)) @member.constructor)
${variables('field_identifier')
  .map((form) => `(field_declaration declarator: ${form}) @member.property`)
  .join('\n')}
((storage_class_specifier) @private (#eq? @private "static"))
(preproc_arg) @words
[(compound_statement) (for_statement) (lambda_expression) (for_range_loop) (catch_clause) (preproc_function_def)] @scope
(function_definition) @global
(preproc_params (identifier) @parameter)
((declaration declarator: [${variables('identifier').join(' ')}]) @definition.variable (#not-match? @definition.variable "^extern"))
(declaration declarator: (init_declarator declarator: [${variables('identifier').join(' ')}])) @definition.variable
(for_range_loop declarator: [(identifier) @parameter (reference_declarator (identifier) @parameter) (pointer_declarator (identifier) @parameter)])
${['parameter_declaration', 'optional_parameter_declaration'].map((form) => `(${form} declarator: [(identifier) @parameter ${pointed('(identifier) @parameter').join(' ')} (reference_declarator (identifier) @parameter) (array_declarator declarator: (identifier) @parameter)])`).join('\n')}
${['declaration', 'parameter_declaration', 'field_declaration'].map((form) => `(${form} type: ${typeName} declarator: [${typed}])`).join('\n')}
(for_range_loop type: ${typeName} declarator: ${automatic})
(declaration type: (placeholder_type_specifier) declarator: (init_declarator declarator: ${automatic} value: (_) @of-value))
(for_range_loop type: (placeholder_type_specifier) declarator: ${automatic} right: (_) @of-element)
${[
  '(function_declarator declarator: [(identifier) @typed (field_identifier) @typed (qualified_identifier name: (identifier) @typed)])',
]
  .flatMap(declared)
  .flatMap((form) =>
    ['function_definition', 'field_declaration'].map(
      (one) => `(${one} type: ${givenName} declarator: ${form}) @function`,
    ),
  )
  .join('\n')}
(template_declaration parameters: (_) @generics [(class_specifier name: (type_identifier) @typed) (struct_specifier name: (type_identifier) @typed)])
(template_declaration parameters: (template_parameter_list [(type_parameter_declaration (type_identifier) @name) (optional_type_parameter_declaration name: (type_identifier) @name)])) @definition.parameter
(type_definition type: (struct_specifier name: (type_identifier) @of-type) declarator: (type_identifier) @typed)
${each('class_specifier struct_specifier', (form) => `(${form} name: (type_identifier) @extended (base_class_clause [(type_identifier) @of-type (template_type name: (type_identifier) @of-type)]))`)}
(preproc_include path: [(string_literal (string_content) @import.source) (system_lib_string) @import.source]) @import.all
(call_expression function: (identifier) @call)
(call_expression function: (field_expression field: (field_identifier) @call))
(field_expression argument: (_) @qualifier field: (field_identifier) @of-qualifier)
(qualified_identifier scope: (namespace_identifier) @qualifier name: (identifier) @of-qualifier)
(type_identifier) @type
[(identifier) (field_identifier) (namespace_identifier)] @use
`;

/** The file beside the one that includes it. If there is none, every file whose path ends so. */
async function resolveImport({ path, module }: ImportRequest, tree: SourceTree): Promise<string[]> {
  const header = module.replace(/^<|>$/g, '');
  const beside = posix.join(folderOf(path), header);
  if (header === module && tree.has(beside)) return [beside];
  return filesEnding(tree, endOf(header));
}

const endOf = (header: string): string => header.replace(/^(\.\.?\/)+/, '');

const macro = '[A-Z_]{2}([A-Z0-9_]{0,60})[A-Z0-9_]{2}';
/** Words before a type. A name in capitals behind them is the type itself. */
const notTypes =
  'static|extern|inline|const|volatile|register|struct|union|enum|unsigned|signed|typedef|virtual|constexpr|friend|explicit|return|else|new|throw';
/** Macros in capitals become comments: between `class` and its name, before the type of a function, and between that and its name. */
const repairs = [
  {
    find: `(?<=\\b(?:class|struct)[ \\t]+)${macro}(?=[ \\t]+\\w{1,100}\\s{0,20}(?:final\\s{0,20})?[:{])`,
    with: '/*$1*/',
  },
  {
    find: `(?<=(?:^|\\n)[ \\t]*)${macro}(?=[ \\t]+(?:(?:[\\w:<>,]{1,80}[ \\t*&]{1,8}){1,6}|(?=\\w+::))[\\w:~]{1,160}\\()`,
    with: '/*$1*/',
  },
  {
    find: `(?=[A-Z_]{2}[A-Z0-9_]{2,62}[ \\t]{1,8}\\w{1,160}\\()(?<=(?:^|\\n)(?:[a-z_]\\w{0,80}[ \\t*]{1,8}){0,5}(?!(?:${notTypes})\\b)[a-z_]\\w{0,80}[ \\t*]{1,8})${macro}`,
    with: '/*$1*/',
  },
];

/** `const std::vector<Item>` is a `vector<Item>`. Values stay as they are. */
const typeText = (text: string): string =>
  text.startsWith('=') ? text : text.replace(/\b(?:const|struct|class|typename)\s+|\b(?:[a-z_]\w*::)+(?=[\w])/g, '');

/** C too: the grammar of C++ parses it. */
export const cpp: Language = {
  name: 'cpp',
  family: 'c',
  extensions: ['.c', '.h', '.cc', '.cpp', '.cxx', '.hh', '.hpp', '.hxx', '.inl'],
  grammar: grammarURL('cpp'),
  query,
  visibility: 'everywhere',
  hasBareMembers: true,
  repairs,
  resolveImport,
  typeText,
  manifestsOf: (module) => {
    const file = endOf(module.replace(/^<|>$/g, ''));
    // Headers without an extension are those of the standard library.
    return file.includes('.') ? [{ file, text: '', isOfAll: true }] : [];
  },
};
