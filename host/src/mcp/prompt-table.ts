import { didYouMean, isSextantError } from '@sextant/core';
import type { Prompt } from '@sextant/core';
import { RpcError, requireFirstPage, rpcCodes } from './errors.ts';
import { isRecord } from './messages/json-rpc.ts';
import type { Params } from './messages/json-rpc.ts';
import type { ToolTableOptions } from './tool-table.ts';

interface WirePrompt {
  name: string;
  title: string;
  description: string;
  arguments?: { name: string; description: string; required: boolean }[];
  [key: string]: unknown;
}

export interface PromptList {
  prompts: WirePrompt[];
  [key: string]: unknown;
}

export interface PromptResult {
  description: string;
  messages: { role: 'user'; content: { type: 'text'; text: string } }[];
  [key: string]: unknown;
}

/** The prompts of one endpoint in one generation. */
export class PromptTable {
  readonly #endpoint: string;
  readonly #prompts: readonly Prompt[];

  constructor({ endpoint, generation }: Pick<ToolTableOptions, 'endpoint' | 'generation'>) {
    this.#endpoint = endpoint;
    this.#prompts = generation.registry.prompts(endpoint);
  }

  get isEmpty(): boolean {
    return this.#prompts.length === 0;
  }

  /** Answers `prompts/list`. */
  list(params: Params | undefined): PromptList {
    requireFirstPage('prompts/list', params);
    return { prompts: this.#prompts.map(wireOf) };
  }

  /** Answers `prompts/get`: one message in the user's name. */
  async get(params: Params | undefined): Promise<PromptResult> {
    const prompt = this.find(params?.['name']);
    const given = params?.['arguments'];
    if (given !== undefined && !isRecord(given))
      throw new RpcError(rpcCodes.invalidParams, '"arguments" must be an object');
    return {
      description: prompt.description,
      messages: [{ role: 'user', content: { type: 'text', text: await textOf(prompt, given) } }],
    };
  }

  /** Throws for a name that no prompt of this endpoint has. */
  find(name: unknown): Prompt {
    if (typeof name !== 'string') throw new RpcError(rpcCodes.invalidParams, 'a prompt is named by "name", a text');
    const prompt = this.#prompts.find((one) => one.name === name);
    if (prompt) return prompt;
    const names = this.#prompts.map((one) => one.name);
    throw new RpcError(
      rpcCodes.invalidParams,
      `Unknown prompt: ${name.slice(0, 100)}.${didYouMean(name, names)} ${this.#endpoint} has ${names.join(', ') || 'none'}.`,
    );
  }
}

async function textOf(prompt: Prompt, given: Params | undefined): Promise<string> {
  try {
    return await prompt.text(given);
  } catch (error) {
    if (isSextantError(error)) throw new RpcError(rpcCodes.invalidParams, error.message);
    throw error;
  }
}

function wireOf({ name, title, description, inputSchema }: Prompt): WirePrompt {
  const { properties = {}, required = [] } = inputSchema;
  const list = Object.entries(properties).map(([argument, schema]) => ({
    name: argument,
    description: schema.description ?? '',
    required: required.includes(argument),
  }));
  return { name, title, description, ...(list.length > 0 && { arguments: list }) };
}
