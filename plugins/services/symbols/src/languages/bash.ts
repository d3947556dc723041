import { posix } from 'node:path';
import type { ImportRequest, Language, SourceTree } from '@sextant/contracts';
import { folderOf } from '../paths.ts';
import { ofCollection } from './grammar.ts';
import { filesEnding } from './tree-files.ts';

const query = `
(function_definition name: (word) @name) @definition.function @scope
(declaration_command "local" (variable_assignment name: (variable_name) @name) @definition.variable)
(program (variable_assignment name: (variable_name) @name) @definition.variable)
(program (declaration_command (variable_assignment name: (variable_name) @name) @definition.variable))
(for_statement variable: (variable_name) @name) @definition.variable
(command name: (command_name (word) @_trap) . argument: (word) @use (#eq? @_trap "trap"))
(command name: (command_name (word) @call))
(command name: (command_name (word) @_source) . argument: (_) @import.source @import.all (#any-of? @_source "source" "."))
((variable_name) @use (#match? @use "^[A-Za-z_]"))
`;

/** Only the text behind the last expansion is known: `"$(dirname "$0")/lib/text.sh"`. */
const afterExpansion = /[^$`)}"']*$/;

/** The file beside the one that sources it, or at the root. If there is none, every file whose path ends so. */
async function resolveImport({ path, module }: ImportRequest, tree: SourceTree): Promise<string[]> {
  const bare = module.replace(/["']$/, '');
  const [known = ''] = afterExpansion.exec(bare) ?? [];
  const isWhole = !/[$`]/.test(bare);
  const file = posix.normalize(isWhole ? known : known.replace(/^[^/]*\/+/, ''));
  const place = [posix.join(folderOf(path), file), file].find((one) => tree.has(one));
  if (place !== undefined) return [place];
  return filesEnding(tree, file.replace(/^(\.\.\/)+/, ''));
}

export const bash: Language = {
  ...ofCollection('bash'),
  extensions: ['.sh', '.bash'],
  query,
  visibility: 'everywhere',
  resolveImport,
};
