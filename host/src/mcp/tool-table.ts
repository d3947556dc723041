import { didYouMean, isSextantError, messageOf, runGuarded, shortened } from '@sextant/core';
import type { Call, JsonSchema, ListedTool, Logger, Outcome } from '@sextant/core';
import type { Generation } from '../server/generation.ts';
import type { Telemetry } from '../metrics/telemetry.ts';
import { traceParentOf } from '../metrics/trace-parent.ts';
import { RpcError, requireFirstPage, rpcCodes, toErrorResult } from './errors.ts';
import type { ToolResult } from './errors.ts';
import { callOf, unlessRightsLost } from './exchange.ts';
import type { Exchange } from './exchange.ts';
import { MostNamed } from '../http/most-named.ts';
import type { ProcessorTime } from '../http/processor-time.ts';
import type { ToolCalls } from './tool-calls.ts';
import { instructionsFor } from './instructions.ts';
import { isRecord } from './messages/json-rpc.ts';
import type { Params } from './messages/json-rpc.ts';

/** A tool as clients see it. */
export interface WireTool {
  name: string;
  title: string;
  description: string;
  inputSchema: WireSchema;
  outputSchema: WireSchema;
  annotations: { readOnlyHint: boolean; openWorldHint: false };
  [key: string]: unknown;
}

/** A result of `tools/list`. */
export interface ToolList {
  tools: WireTool[];
  [key: string]: unknown;
}

interface WireSchema {
  type: 'object';
  [keyword: string]: unknown;
}

export interface ToolTableOptions {
  endpoint: string;
  generation: Generation;
  log: Logger;
  telemetry: Telemetry;
  /** Absent: no tool has a limit of calls. */
  toolCalls?: ToolCalls;
  /** Absent: callers may have any processor time. */
  processorTime?: ProcessorTime;
}

/** The tools of one endpoint in one generation: all that an era of the protocol needs to know of them. */
export class ToolTable {
  readonly endpoint: string;
  /** The result of `tools/list`; never changes, so that its text can be kept. */
  readonly list: ToolList;
  readonly instructions: string;
  readonly #options: ToolTableOptions;

  constructor(options: ToolTableOptions) {
    const { endpoint, generation } = options;
    this.endpoint = endpoint;
    this.#options = options;
    const tools = generation.registry.list(endpoint) ?? [];
    this.list = { tools: tools.map(toWire) };
    this.instructions = instructionsFor(tools);
  }

  /** Answers `tools/list`. */
  page(params: Params | undefined): ToolList {
    requireFirstPage('tools/list', params);
    return this.list;
  }

  /** Answers `tools/call`. Throws an `RpcError` for a call that names no tool of this endpoint. */
  async call(params: Params | undefined, exchange: Exchange): Promise<ToolResult> {
    const listed = this.#find(params);
    const outcome = await this.#run(listed, params, exchange).catch(refusedOutcome);
    if (!outcome.ok) return toErrorResult(outcome.error);
    const { maxTextSize } = this.#options.generation.limits;
    const structuredContent = shortened(outcome.structured, listed.tool, maxTextSize);
    return { content: [{ type: 'text', text: outcome.text }], structuredContent };
  }

  #find(params: Params | undefined): ListedTool {
    const name = params?.['name'];
    if (typeof name !== 'string')
      throw new RpcError(rpcCodes.invalidParams, 'tools/call needs "name", the name of a tool');
    const given = params?.['arguments'];
    if (given !== undefined && !isRecord(given))
      throw new RpcError(rpcCodes.invalidParams, '"arguments" must be an object');
    const listed = this.#options.generation.registry.find(this.endpoint, name);
    if (listed) return listed;
    const names = this.list.tools.map((tool) => tool.name);
    throw new RpcError(
      rpcCodes.invalidParams,
      `Unknown tool: ${name.slice(0, 100)}.${didYouMean(name, names)} ${this.endpoint} has ${names.join(', ') || 'no tools'}.`,
    );
  }

  async #run(listed: ListedTool, params: Params | undefined, exchange: Exchange): Promise<Outcome> {
    const { generation, telemetry } = this.#options;
    const started = performance.now();
    const call = callOf(exchange, { endpoint: this.endpoint, log: this.#options.log });
    let credits = 0;
    const repositories = new MostNamed();
    const tool = listed.tool.name;
    const { limits } = generation.settings;
    const meter = this.#options.processorTime?.meterOf(call.caller, limits, tool);
    const span = {
      name: `tools/call ${tool}`,
      requestId: exchange.requestId,
      attributes: { 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': tool, 'url.path': this.endpoint },
      parent: { ...exchange.traceParent, ...traceParentOf(params?.['_meta']) },
      ...(meter && { meter }),
    };
    const own = limits.tools[tool];
    const leave = this.#options.toolCalls?.enter(tool, call.caller, own);
    return telemetry.inSpan(span, async (processorMs) => {
      const guarded = await runGuarded({
        tool: listed.tool,
        input: params?.['arguments'],
        services: generation.servicesOf(listed.tool),
        call: {
          ...call,
          noteCredits: (spent) => void (credits += spent),
          noteRepository: (name) => repositories.add(name),
        },
        limits: { ...generation.limits, ...(own?.callSeconds && { timeoutMs: own.callSeconds * 1000 }) },
      }).finally(leave);
      const outcome = await unlessRightsLost(guarded, exchange);
      const seconds = (performance.now() - started) / 1000;
      const said = { credits, repository: repositories.name };
      this.#record({ listed, call, outcome, ...said, seconds, processorMs: processorMs() }, exchange.requestId);
      return outcome;
    });
  }

  #record({ listed, call, outcome, credits, repository, seconds, processorMs }: Finished, requestId: string): void {
    const { generation, log, telemetry } = this.#options;
    const { endpoint } = this;
    const tool = listed.tool.name;
    const result = outcome.ok ? 'ok' : outcome.error.code;
    telemetry.finish({ tool, endpoint, outcome: result, seconds });
    const { caller, clientName } = call;
    generation.recorder?.record({
      kind: 'tool',
      name: tool,
      activity: listed.tool.activity,
      endpoint,
      userId: caller.user.id,
      clientName,
      files: filesOf(listed, outcome, log),
      repository,
      startedAt: Date.now() - seconds * 1000,
      milliseconds: seconds * 1000,
      outcome: result,
      credits,
    });
    const times = { milliseconds: tenths(seconds * 1000), processorMilliseconds: tenths(processorMs) };
    const who = { user: caller.user.id, client: clientName };
    log.info({ tool, endpoint, ...who, ...times, outcome: result, requestId }, 'call');
  }
}

/** At a limit of the tool. Anything else is no answer of a tool. */
function refusedOutcome(error: unknown): Outcome {
  if (isSextantError(error) && error.code === 'exhausted') return { ok: false, error };
  throw error;
}

/** What a tool says of its answer does not spoil the answer. */
function filesOf({ tool }: ListedTool, outcome: Outcome, log: Logger): readonly string[] {
  if (!outcome.ok) return [];
  try {
    return tool.filesOf(outcome.structured);
  } catch (error) {
    log.error({ tool: tool.name, err: error }, `the tool cannot tell the files of its answer: ${messageOf(error)}`);
    return [];
  }
}

interface Finished {
  listed: ListedTool;
  call: Call;
  outcome: Outcome;
  credits: number;
  repository: string | undefined;
  seconds: number;
  processorMs: number;
}

const tenths = (value: number): number => Math.round(value * 10) / 10;

function toWire({ name, tool }: ListedTool): WireTool {
  return {
    name,
    title: tool.title,
    description: tool.description,
    inputSchema: asObject(tool.inputSchema),
    outputSchema: asObject(tool.outputSchema),
    annotations: { readOnlyHint: tool.isReadOnly, openWorldHint: false },
  };
}

const asObject = (schema: JsonSchema): WireSchema => ({ ...schema, type: 'object' });
