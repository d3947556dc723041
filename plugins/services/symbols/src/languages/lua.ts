import type { ImportRequest, Language, SourceTree } from '@sextant/contracts';
import { each } from './grammar.ts';
import { filesEnding } from './tree-files.ts';

const query = `
(function_declaration name: (identifier) @name) @definition.function @scope
(function_declaration name: (dot_index_expression table: (identifier) @container field: (identifier) @name)) @definition.function @scope
(function_declaration name: (method_index_expression table: (identifier) @container method: (identifier) @name)) @member.method @scope
[(function_definition) (for_statement) (if_statement)] @scope
(variable_declaration (assignment_statement (variable_list name: (identifier) @name))) @definition.variable
(assignment_statement (variable_list name: (identifier) @name) (expression_list value: (function_definition))) @definition.function
(assignment_statement (variable_list name: (dot_index_expression table: (identifier) @container field: (identifier) @name)) (expression_list value: (function_definition))) @definition.function
(assignment_statement (variable_list name: (identifier) @container) (expression_list value: (table_constructor (field name: (identifier) @name) @member.property)))
(chunk (assignment_statement (variable_list name: (identifier) @name)) @definition.variable)
(chunk (assignment_statement (variable_list name: (dot_index_expression table: (identifier) @container field: (identifier) @name))) @definition.variable)
${each('parameters for_numeric_clause', (form) => `(${form} name: (identifier) @parameter)`)}
(for_generic_clause (variable_list name: (identifier) @parameter))
(assignment_statement (variable_list name: (identifier) @import.module) (expression_list value: (function_call name: (identifier) @_require arguments: (arguments (string content: (string_content) @import.source)))) (#eq? @_require "require"))
(function_call name: (identifier) @call)
(function_call name: (dot_index_expression field: (identifier) @call))
(function_call name: (method_index_expression method: (identifier) @call))
(dot_index_expression table: (_) @qualifier field: (identifier) @of-qualifier)
(method_index_expression table: (_) @qualifier method: (identifier) @of-qualifier)
(identifier) @use
`;

/** The files to which `package.path` usually leads, and then all files whose path ends so. */
async function resolveImport({ module }: ImportRequest, tree: SourceTree): Promise<string[]> {
  const place = module.replaceAll('.', '/');
  const files = [`${place}.lua`, `${place}/init.lua`];
  return [...new Set([...files.filter((path) => tree.has(path)), ...files.flatMap((file) => filesEnding(tree, file))])];
}

export const lua: Language = {
  name: 'lua',
  family: 'lua',
  extensions: ['.lua'],
  grammar: import.meta.resolve('@tree-sitter-grammars/tree-sitter-lua/tree-sitter-lua.wasm'),
  query,
  visibility: 'everywhere',
  resolveImport,
};
