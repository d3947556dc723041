import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { builtInEndpoints } from '@sextant/core';
import type { Caller, Logger } from '@sextant/core';
import type { Server, ServerContext } from '@modelcontextprotocol/server';
import { serveStdio as serveConnection } from '@modelcontextprotocol/server/stdio';
import type { Generation, Serving } from '../server/generation.ts';
import { InFlight } from '../http/limits.ts';
import { Telemetry } from '../log/telemetry.ts';
import type { ToolResult } from './errors.ts';
import type { Exchange } from './exchange.ts';
import type { Params } from './json-rpc.ts';
import { LineTransport } from './line-transport.ts';
import { newServer, progressThrough } from './stateless-era.ts';
import { ToolTable } from './tool-table.ts';

export interface StdioOptions {
  serving: Serving;
  /** Who sits at the other end. */
  caller: Caller;
  log: Logger;
  input: Readable;
  output: Writable;
}

/** Serves every tool to one client, one message a line; ends when the input has ended and every request is answered. */
export async function serveStdio({ serving, caller, log, input, output }: StdioOptions): Promise<void> {
  const connection = new Connection({ serving, caller, log });
  const transport = new LineTransport({ input, output, maxBytes: serving.current.settings.limits.requestBytes });
  const onerror = (error: Error): void => log.warn({ err: error }, 'a message could not be served');
  serveConnection(() => connection.newServer(), { transport, onerror });
  await transport.closed;
}

/** State that the servers of one connection share: the SDK makes one for a probe, and another that stays. */
class Connection {
  readonly #options: Pick<StdioOptions, 'serving' | 'caller' | 'log'>;
  readonly #telemetry: Telemetry;
  readonly #tables = new WeakMap<Generation, ToolTable>();

  constructor(options: Pick<StdioOptions, 'serving' | 'caller' | 'log'>) {
    this.#options = options;
    this.#telemetry = new Telemetry(options.serving, new InFlight());
  }

  newServer(): Server {
    const server: Server = newServer({
      instructions: this.#table().instructions,
      page: (params) => this.#table().page(params),
      call: (params, context) => this.#call(params, context, () => server.getClientVersion()?.name),
    });
    return server;
  }

  async #call(
    params: Params | undefined,
    context: ServerContext,
    clientName: () => string | undefined,
  ): Promise<ToolResult> {
    const release = this.#options.serving.current.hold();
    const exchange: Exchange = {
      caller: this.#options.caller,
      clientName: clientName(),
      requestId: randomUUID(),
      signal: context.mcpReq.signal,
      ...progressThrough(context, context.mcpReq._meta?.progressToken),
    };
    return this.#table().call(params, exchange).finally(release);
  }

  /** The tools as they are now: a change of the configuration counts for a connection that is open, too. */
  #table(): ToolTable {
    const { serving, log } = this.#options;
    const generation = serving.current;
    const endpoint = builtInEndpoints.all;
    const table =
      this.#tables.get(generation) ?? new ToolTable({ endpoint, generation, log, telemetry: this.#telemetry });
    this.#tables.set(generation, table);
    return table;
  }
}
