import type { Call } from '../calls/call.ts';
import type { JsonSchema } from './json-schema.ts';
import { token } from '../plugins/token.ts';

/** A tool as those see it who call tools on behalf of a caller: a script, a language model, a page. */
export interface ToolInfo {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

/** What a call of a tool answers: the object of its output schema, and the text for a model. */
export interface ToolboxAnswer {
  readonly structured: Record<string, unknown>;
  readonly text: string;
}

/**
 * The read-only tools that are loaded and enabled, for services and tools that call others. Always provided by the host;
 * filled once all plugins have started, and always that of the configuration in force.
 */
export interface Toolbox {
  /** In alphabetical order. */
  readonly tools: readonly ToolInfo[];
  /**
   * Runs a tool with the permissions, signal and log of `call`. It is guarded like a call from outside, but not recorded
   * as one. Throws `not_found` for a name that is not among `tools`, and otherwise what a caller of that tool would be
   * told.
   */
  run(name: string, input: unknown, call: Call): Promise<ToolboxAnswer>;
}

export const Toolbox = token<Toolbox>('toolbox', { remote: { tools: 'data', run: 'call' } });
