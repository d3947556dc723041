import { RpcError, rpcCodes } from './errors.ts';
import type { ToolResult } from './errors.ts';
import type { Exchange } from './exchange.ts';
import { isRecord } from './messages/json-rpc.ts';
import type { Params } from './messages/json-rpc.ts';
import { PromptTable } from './prompt-table.ts';
import type { PromptList, PromptResult } from './prompt-table.ts';
import { ResourceTable } from './resource-table.ts';
import type { ReadResult, ResourceList, TemplateList } from './resource-table.ts';
import { ToolTable } from './tool-table.ts';
import type { ToolList, ToolTableOptions } from './tool-table.ts';

/** What each method answers, by its name. */
export interface MethodResults {
  'tools/list': ToolList;
  'tools/call': ToolResult;
  'resources/list': ResourceList;
  'resources/templates/list': TemplateList;
  'resources/read': ReadResult;
  'prompts/list': PromptList;
  'prompts/get': PromptResult;
  'completion/complete': CompletionResult;
}

interface CompletionResult {
  completion: { values: string[] };
  [key: string]: unknown;
}

export type MethodName = keyof MethodResults;

/** The methods of one endpoint in one generation, the same for both eras of the protocol. */
export class Methods {
  readonly tools: ToolTable;
  readonly #resources: ResourceTable;
  readonly #prompts: PromptTable;

  constructor(options: ToolTableOptions) {
    this.tools = new ToolTable(options);
    this.#resources = new ResourceTable(options);
    this.#prompts = new PromptTable(options);
  }

  /** What a client is told that there is. Nothing announces its changes: the lists say how long they hold. */
  get capabilities(): { tools: {}; resources?: {}; prompts?: {}; completions?: {} } {
    return {
      tools: {},
      ...(!this.#resources.isEmpty && { resources: {} }),
      ...(!this.#prompts.isEmpty && { prompts: {} }),
      ...(!(this.#resources.isEmpty && this.#prompts.isEmpty) && { completions: {} }),
    };
  }

  /** Whether this endpoint offers a method of that name. */
  has(name: string): name is MethodName {
    if (!Object.hasOwn(this.#answers, name)) return false;
    if (name.startsWith('resources/')) return !this.#resources.isEmpty;
    if (name.startsWith('prompts/')) return !this.#prompts.isEmpty;
    return name !== 'completion/complete' || this.capabilities.completions !== undefined;
  }

  /** Throws an `RpcError` for what is refused as a whole. */
  answer<M extends MethodName>(name: M, params: Params | undefined, exchange: Exchange): Promise<MethodResults[M]> {
    return this.#answers[name](params, exchange);
  }

  readonly #answers: {
    readonly [M in MethodName]: (params: Params | undefined, exchange: Exchange) => Promise<MethodResults[M]>;
  } = {
    'tools/list': async (params) => this.tools.page(params),
    'tools/call': (params, exchange) => this.tools.call(params, exchange),
    'resources/list': async (params) => this.#resources.list(params),
    'resources/templates/list': async (params) => this.#resources.templates(params),
    'resources/read': (params, exchange) => this.#resources.read(params, exchange),
    'prompts/list': async (params) => this.#prompts.list(params),
    'prompts/get': async (params) => this.#prompts.get(params),
    'completion/complete': (params, exchange) => this.#complete(params, exchange),
  };

  async #complete(params: Params | undefined, exchange: Exchange): Promise<CompletionResult> {
    const { ref, argument, context } = params ?? {};
    const { name, value } = isRecord(argument) ? argument : {};
    if (!isRecord(ref) || typeof name !== 'string' || typeof value !== 'string')
      throw new RpcError(
        rpcCodes.invalidParams,
        'completion/complete needs "ref", and "argument" with "name" and "value"',
      );
    if (ref['type'] === 'ref/prompt') {
      this.#prompts.find(ref['name']);
      return { completion: { values: [] } };
    }
    const given = isRecord(context) && isRecord(context['arguments']) ? Object.entries(context['arguments']) : [];
    const variables = Object.fromEntries(
      given.flatMap(([key, text]) => (typeof text === 'string' ? [[key, text]] : [])),
    );
    const asked = { variable: name, typed: value, variables };
    return { completion: { values: [...(await this.#resources.complete(ref['uri'], asked, exchange))] } };
  }
}
