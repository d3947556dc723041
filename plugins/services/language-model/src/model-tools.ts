import { isSextantError, messageOf } from '@sextant/core';
import type { Call, Toolbox, ToolInfo } from '@sextant/core';
import { jsonSchema, tool } from 'ai';
import type { ToolSet } from 'ai';
import type { RepositoryData } from './repository-data.ts';

/** Those that are research themselves, or cost credits. */
const withheld = new Set(['code_finder', 'deepsearch', 'deepsearch_read', 'evaluator']);

/** Most UTF-16 code units of one answer that a model reads. */
const longestAnswer = 24_000;

export interface ModelToolsOptions {
  readonly toolbox: Toolbox;
  /** Whose permissions every call has. */
  readonly call: Call;
  readonly data: RepositoryData;
  readonly maxCalls: number;
}

/** The tools of the server as a model calls them, and how many calls it has made. */
export interface ModelTools {
  readonly tools: ToolSet;
  readonly isSpent: () => boolean;
}

export function modelTools(options: ModelToolsOptions): ModelTools {
  let calls = 0;
  const run = async ({ name }: ToolInfo, input: unknown): Promise<string> => {
    if (calls >= options.maxCalls) return 'No call is left. Answer now with what you have.';
    calls += 1;
    options.call.reportProgress({ progress: calls, message: describe(name, input) });
    return answerOf(options, name, input);
  };
  const offered = options.toolbox.tools.filter(({ name }) => !withheld.has(name));
  const entries = offered.map((info) => [
    info.name,
    tool({
      description: info.description,
      inputSchema: jsonSchema(info.inputSchema),
      execute: (input: unknown) => run(info, input),
    }),
  ]);
  return { tools: Object.fromEntries(entries), isSpent: () => calls >= options.maxCalls };
}

async function answerOf({ toolbox, call, data }: ModelToolsOptions, name: string, input: unknown): Promise<string> {
  try {
    const { text } = await toolbox.run(name, input, call);
    return data.mark(cut(text));
  } catch (error) {
    call.signal.throwIfAborted();
    if (!isSextantError(error)) throw error;
    return `Error: ${cut(messageOf(error))}`;
  }
}

const cut = (text: string): string =>
  text.length <= longestAnswer ? text : `${text.slice(0, longestAnswer)}\n[cut; ask for less at once]`;

/** `keyword_search repo:shop parse`: what a person sees of the work. */
const describe = (name: string, input: unknown): string =>
  `${name} ${Object.values(input ?? {})
    .filter((value) => typeof value === 'string')
    .join(' ')}`.slice(0, 200);
