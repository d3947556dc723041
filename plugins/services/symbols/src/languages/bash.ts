import type { Language } from '@sextant/contracts';
import { grammarURL } from './grammar.ts';

const query = `
(function_definition name: (word) @name) @definition.function @scope
(declaration_command "local" (variable_assignment name: (variable_name) @name) @definition.variable)
(program (variable_assignment name: (variable_name) @name) @definition.variable)
(program (declaration_command (variable_assignment name: (variable_name) @name) @definition.variable))
(command name: (command_name (word) @call))
(variable_name) @use
`;

export const bash: Language = {
  name: 'bash',
  family: 'bash',
  extensions: ['.sh', '.bash'],
  grammar: grammarURL('bash'),
  query,
  visibility: 'everywhere',
};
