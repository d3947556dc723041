import type { ImportRequest, Language, SourceTree } from '@sextant/contracts';
import { folderOf, joinPath } from '../paths.ts';
import { grammarURL } from './grammar.ts';

const query = `
(function_declaration name: (identifier) @name) @definition.function @scope
(method_declaration receiver: (parameter_list (parameter_declaration type: (type_identifier) @container)) name: (field_identifier) @name) @member.method @scope
(method_declaration receiver: (parameter_list (parameter_declaration type: (pointer_type (type_identifier) @container))) name: (field_identifier) @name) @member.method @scope
(method_declaration name: (field_identifier) @name) @member.method @scope
(func_literal) @scope
(block) @scope
(for_statement) @scope
(if_statement) @scope
(type_spec name: (type_identifier) @name) @definition.type
(type_alias name: (type_identifier) @name) @definition.type
(method_elem name: (field_identifier) @name) @member.method
(field_declaration name: (field_identifier) @name) @member.property
(const_spec name: (identifier) @name) @definition.constant
(var_spec name: (identifier) @name) @definition.variable
(short_var_declaration left: (expression_list (identifier) @name)) @definition.variable
(range_clause left: (expression_list (identifier) @parameter))
(parameter_declaration name: (identifier) @parameter)
(variadic_parameter_declaration name: (identifier) @parameter)
(import_spec !name path: (_ (_) @import.source @import.module))
(import_spec name: (package_identifier) @import.module path: (_ (_) @import.source))
(import_spec name: (dot) path: (_ (_) @import.source)) @import.all
(parameter_declaration name: (identifier) @typed type: [(type_identifier) @of-type (pointer_type (type_identifier) @of-type)])
(var_spec name: (identifier) @typed type: [(type_identifier) @of-type (pointer_type (type_identifier) @of-type)])
(field_declaration name: (field_identifier) @typed type: [(type_identifier) @of-type (pointer_type (type_identifier) @of-type)])
(short_var_declaration left: (expression_list . (identifier) @typed .) right: (expression_list . (composite_literal type: (type_identifier) @of-type) .))
(short_var_declaration left: (expression_list . (identifier) @typed .) right: (expression_list . (unary_expression operand: (composite_literal type: (type_identifier) @of-type)) .))
(call_expression function: (identifier) @call)
(call_expression function: (selector_expression field: (field_identifier) @call))
(selector_expression operand: (_) @qualifier field: (field_identifier) @of-qualifier)
(qualified_type package: (package_identifier) @qualifier name: (type_identifier) @of-qualifier)
(type_identifier) @type
[(identifier) (field_identifier)] @use
`;

/** The module paths of a repository with their folders. */
async function modulesOf(tree: SourceTree): Promise<[module: string, folder: string][]> {
  const paths = tree.named('go.mod').slice(0, 100);
  const texts = await Promise.all(paths.map((path) => tree.read(path)));
  return texts.flatMap((text = '', index): [string, string][] => {
    const module = /^module\s+"?([^\s"]+)/m.exec(text)?.[1];
    return module === undefined ? [] : [[module, folderOf(paths[index] ?? '')]];
  });
}

async function resolveImport({ module }: ImportRequest, tree: SourceTree): Promise<string[]> {
  const own = (await tree.derived(modulesOf)).filter(([name]) => module === name || module.startsWith(`${name}/`));
  const [name, folder = ''] = own.toSorted(([a], [b]) => b.length - a.length)[0] ?? [];
  if (name === undefined) return [];
  const below = module.slice(name.length + 1);
  const place = below === '' ? folder : joinPath(folder, below);
  return tree.inFolder(place).filter((path) => path.endsWith('.go') && !path.endsWith('_test.go'));
}

export const go: Language = {
  name: 'go',
  family: 'go',
  extensions: ['.go'],
  grammar: grammarURL('go'),
  query,
  visibility: 'folder',
  resolveImport,
  packageNames: async (tree) => (await tree.derived(modulesOf)).map(([module]) => module),
  manifestsOf: (module) => {
    const parts = module.split('/');
    if (!parts[0]?.includes('.')) return [];
    return parts.map((_, end) => ({ file: 'go.mod', text: `module ${parts.slice(0, parts.length - end).join('/')}` }));
  },
};
