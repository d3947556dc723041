import { Database, Evaluator, History, Search } from '@sextant/contracts';
import { Toolbox, definePlugin, silentLogger } from '@sextant/core';
import type { Call, ToolInfo } from '@sextant/core';
import { callerOf, startPlugins } from '@sextant/core/testing';
import type { StartedPlugins } from '@sextant/core/testing';
import { testDatabase } from '@sextant/service-postgres/testing';
import lua from '../index.ts';

export interface StartedEvaluator extends StartedPlugins {
  readonly evaluator: Evaluator;
  readonly database: Database;
}

export interface Fakes {
  readonly search?: Partial<Search>;
  readonly history?: Partial<History>;
  /** Answers of tools by name; every tool is there. */
  readonly run?: (name: string, input: unknown, call: Call) => Promise<Record<string, unknown>>;
  readonly isOff?: readonly string[];
}

const missing = async (): Promise<never> => {
  throw new Error('the test did not say what this answers');
};

const names =
  'commit_search diff_search evaluator find_references go_to_definition keyword_search list_files list_repos nls_search read_file'.split(
    ' ',
  );

const infoOf = (name: string): ToolInfo => ({ name, title: '', description: '', inputSchema: { type: 'object' } });

/** The evaluator in its own folder, over services that answer what the test says. */
export async function startEvaluator(folder: string, fakes: Fakes = {}, config = {}): Promise<StartedEvaluator> {
  const { isOff = [], run = missing } = fakes;
  const toolbox: Toolbox = {
    tools: names.filter((name) => !isOff.includes(name)).map(infoOf),
    run: async (name, input, call) => ({ structured: await run(name, input, call), text: '' }),
  };
  const services = definePlugin({
    name: 'service-fakes',
    provides: { search: Search, history: History, toolbox: Toolbox },
    start: async () => ({
      search: { value: { find: missing, ...fakes.search } },
      history: { value: { find: missing, commits: missing, diffs: missing, contributors: missing, ...fakes.history } },
      toolbox: { value: toolbox },
    }),
  });
  const started = await startPlugins(folder, [[testDatabase], [services], [lua, config]]);
  return { ...started, ...started.services.resolve({ evaluator: Evaluator, database: Database }) };
}

/** A call of alice, unless said otherwise. */
export const callOf = (change: Partial<Call> = {}): Call => ({
  caller: callerOf('alice'),
  endpoint: '/.api/mcp',
  signal: new AbortController().signal,
  log: silentLogger,
  reportProgress() {},
  ...change,
});
