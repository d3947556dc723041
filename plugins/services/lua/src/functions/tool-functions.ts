import { SextantError } from '@sextant/core';
import type { Toolbox } from '@sextant/core';
import { namedIn, queryIn } from './script-function.ts';
import type { Match, Matches, ScriptFunction } from './script-function.ts';

/** A script that ran scripts would have the limits of many; and not every endpoint may create conversations. */
const withoutFunction = new Set(['evaluator', 'deepsearch']);

/** Names of the tools that are functions of `tools`. */
export const toolNames = (toolbox: Toolbox): string[] =>
  toolbox.tools.map(({ name }) => name).filter((name) => !withoutFunction.has(name));

/** `tools.<name>`: the tool with its own arguments and its structured answer. */
export const toolFunction = (tool: string, toolbox: Toolbox): ScriptFunction => ({
  tool,
  async run(argument, call) {
    if (withoutFunction.has(tool)) throw new SextantError('invalid_argument', `a script cannot run ${tool}`);
    return (await toolbox.run(tool, namedIn(argument), call)).structured;
  },
});

/** `source.read_file`: what the tool answers, and the lines without numbers as `text`. */
export const readFile = (toolbox: Toolbox): ScriptFunction => ({
  tool: 'read_file',
  async run(argument, call) {
    const { structured } = await toolbox.run('read_file', namedIn(argument), call);
    const content = String(structured['content']);
    return { ...structured, text: content.replaceAll(/^\d+: /gm, '') };
  },
});

/** `search.repos`: one match for each repository. */
export const repositorySearch = (toolbox: Toolbox): ScriptFunction => ({
  tool: 'list_repos',
  async run(argument, call): Promise<Matches> {
    const query = argument === null || argument === '' ? '' : queryIn(argument, 'search.repos("acme/")');
    const { structured } = await toolbox.run('list_repos', { query, limit: mostRepositories }, call);
    const matches = (structured['repositories'] as ListedRepository[]).map(toMatch);
    return { matches, stats: { matchCount: matches.length, limitHit: structured['hasMoreResults'] === true } };
  },
});

/** The most that the tool lists. */
const mostRepositories = 10_000;

/** As list_repos answers; its types end at the toolbox. */
interface ListedRepository {
  readonly name: string;
  readonly description: string;
  readonly defaultBranch: string;
}

const toMatch = ({ name, ...listed }: ListedRepository): Match => ({
  ...listed,
  repo: name,
  path: '',
  rev: listed.defaultBranch,
  line: 0,
  text: listed.description,
});
