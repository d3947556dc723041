import { SextantError, didYouMean } from '@sextant/core';
import type { Toolbox } from '@sextant/core';
import type { History, Search } from '@sextant/contracts';
import { commitSearch, diffSearch } from './history-search.ts';
import type { ScriptFunction } from './script-function.ts';
import { textSearch } from './text-search.ts';
import { readFile, repositorySearch, toolFunction, toolNames } from './tool-functions.ts';

export interface FunctionParts {
  readonly search: Search;
  readonly history: History;
  readonly toolbox: Toolbox;
  /** Most matches of one search. */
  readonly most: number;
}

const toolPrefix = 'tools.';
/** Read what is named; every other function searches. */
const reading = ['source.read_file', 'source.list_files', 'tools.read_file', 'tools.list_files'];
const longestName = 100;

/** What a call of a function counts as. */
export const kindOf = (name: string): 'searches' | 'reads' => (reading.includes(name) ? 'reads' : 'searches');

/** Every function that scripts have, by its full name. */
export class Functions {
  readonly #toolbox: Toolbox;
  readonly #byName: Readonly<Record<string, ScriptFunction>>;

  constructor(parts: FunctionParts) {
    const { toolbox } = parts;
    this.#toolbox = toolbox;
    this.#byName = {
      'search.keyword': textSearch('keyword', parts),
      'search.nls': textSearch('natural', parts),
      'search.commits': commitSearch(parts),
      'search.diffs': diffSearch(parts),
      'search.repos': repositorySearch(toolbox),
      'source.read_file': readFile(toolbox),
      'source.list_files': toolFunction('list_files', toolbox),
      'code.definition': toolFunction('go_to_definition', toolbox),
      'code.references': toolFunction('find_references', toolbox),
    };
  }

  /** Names of the tools that are functions of `tools`. */
  get toolNames(): readonly string[] {
    return toolNames(this.#toolbox);
  }

  /** Throws `not_found` for a tool that is not there, or is switched off. */
  find(name: string): ScriptFunction {
    const isTool = name.startsWith(toolPrefix);
    const found = isTool ? toolFunction(name.slice(toolPrefix.length), this.#toolbox) : this.#byName[name];
    if (found && this.#isOn(found)) return found;
    const names = this.toolNames.map((tool) => toolPrefix + tool);
    if (!found || isTool)
      throw new SextantError(
        'not_found',
        `there is no ${name.slice(0, longestName)}.${didYouMean(name, names)} There are ${names.join(', ')}.`,
      );
    throw new SextantError('not_found', `${name} is not available here: ${found.tool} is switched off`);
  }

  #isOn({ tool }: ScriptFunction): boolean {
    return this.#toolbox.tools.some(({ name }) => name === tool);
  }
}
