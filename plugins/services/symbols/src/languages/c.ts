import { posix } from 'node:path';
import type { ImportRequest, Language, SourceTree } from '@sextant/contracts';
import { folderOf } from '../paths.ts';
import { grammarURL } from './grammar.ts';

const query = `
(class_specifier name: (type_identifier) @name body: (_)) @definition.class
(struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
(union_specifier name: (type_identifier) @name body: (_)) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(enumerator name: (identifier) @name) @definition.constant
(namespace_definition name: (namespace_identifier) @name) @definition.namespace
(type_definition declarator: (type_identifier) @name) @definition.type
(alias_declaration name: (type_identifier) @name) @definition.type
(preproc_def name: (identifier) @name) @definition.macro
(preproc_function_def name: (identifier) @name) @definition.macro
(function_definition declarator: (function_declarator declarator: (identifier) @name)) @definition.function @scope
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @definition.function @scope
(function_definition declarator: (reference_declarator (function_declarator declarator: (identifier) @name))) @definition.function @scope
(function_definition declarator: (function_declarator declarator: (field_identifier) @name)) @member.method @scope
(function_definition declarator: (function_declarator declarator: (qualified_identifier scope: (_) @container name: (identifier) @name))) @member.method @scope
(field_declaration declarator: (field_identifier) @name) @member.property
(field_declaration declarator: (pointer_declarator declarator: (field_identifier) @name)) @member.property
(field_declaration declarator: (function_declarator declarator: (field_identifier) @name)) @member.method
(compound_statement) @scope
(for_statement) @scope
(lambda_expression) @scope
(declaration declarator: (init_declarator declarator: (identifier) @name)) @definition.variable
(declaration declarator: (init_declarator declarator: (pointer_declarator declarator: (identifier) @name))) @definition.variable
(compound_statement (declaration declarator: (identifier) @name) @definition.variable)
(parameter_declaration declarator: (identifier) @parameter)
(parameter_declaration declarator: (pointer_declarator declarator: (identifier) @parameter))
(parameter_declaration declarator: (reference_declarator (identifier) @parameter))
(preproc_include path: [(string_literal (string_content) @import.source) (system_lib_string) @import.source]) @import.all
(call_expression function: (identifier) @call)
(call_expression function: (field_expression field: (field_identifier) @call))
(field_expression argument: (_) @qualifier field: (field_identifier) @of-qualifier)
(qualified_identifier scope: (namespace_identifier) @qualifier name: (identifier) @of-qualifier)
(type_identifier) @type
[(identifier) (field_identifier) (namespace_identifier)] @use
`;

/** The file beside the one that includes it, else every file whose path ends so. */
async function resolveImport({ path, module }: ImportRequest, tree: SourceTree): Promise<string[]> {
  const header = module.replace(/^<|>$/g, '');
  const beside = posix.join(folderOf(path), header);
  if (header === module && tree.has(beside)) return [beside];
  const end = endOf(header);
  return tree.named(posix.basename(header)).filter((found) => found === end || found.endsWith(`/${end}`));
}

const endOf = (header: string): string => header.replace(/^(\.\.?\/)+/, '');

/** C too: the grammar of C++ reads it. */
export const cpp: Language = {
  name: 'cpp',
  family: 'c',
  extensions: ['.c', '.h', '.cc', '.cpp', '.cxx', '.hh', '.hpp', '.hxx', '.inl'],
  grammar: grammarURL('cpp'),
  query,
  visibility: 'everywhere',
  resolveImport,
  manifestsOf: (module) => {
    const file = endOf(module.replace(/^<|>$/g, ''));
    // Of the standard library, whose names many have.
    return file.includes('.') ? [{ file, text: '', isOfAll: true }] : [];
  },
};
