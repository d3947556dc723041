import type { Language } from '@sextant/contracts';
import { grammarURL } from './grammar.ts';
import { gemManifests, gemsOf, resolveRubyImport } from './ruby-imports.ts';

const query = `
(class name: (constant) @name) @definition.class
(module name: (constant) @name) @definition.module
(method name: (_) @name) @member.method @scope
(singleton_method name: (_) @name) @member.method @scope
(assignment left: (constant) @name) @definition.constant
(assignment left: (identifier) @name) @definition.variable
(block) @scope
(do_block) @scope
(method_parameters (identifier) @parameter)
(keyword_parameter name: (identifier) @parameter)
(optional_parameter name: (identifier) @parameter)
(block_parameters (identifier) @parameter)
(call !receiver method: (identifier) @_require arguments: (argument_list . (string) .) (#any-of? @_require "require" "require_relative")) @import.source @import.all
(call method: (identifier) @call)
(call receiver: (_) @qualifier method: (identifier) @of-qualifier)
(scope_resolution scope: (_) @qualifier name: (constant) @of-qualifier)
[(identifier) (constant)] @use
`;

export const ruby: Language = {
  name: 'ruby',
  family: 'ruby',
  extensions: ['.rb', '.rake', '.gemspec'],
  grammar: grammarURL('ruby'),
  query,
  visibility: 'everywhere',
  resolveImport: resolveRubyImport,
  packageNames: gemsOf,
  manifestsOf: gemManifests,
};
