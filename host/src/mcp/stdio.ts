import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { builtInEndpoints } from '@sextant/core';
import type { Caller, Logger } from '@sextant/core';
import type { Server, ServerContext } from '@modelcontextprotocol/server';
import { serveStdio as serveConnection } from '@modelcontextprotocol/server/stdio';
import type { Generation, Serving } from '../server/generation.ts';
import { InFlight } from '../http/limits.ts';
import { Telemetry } from '../metrics/telemetry.ts';
import type { Exchange } from './exchange.ts';
import { LineTransport } from './messages/line-transport.ts';
import { Methods } from './methods.ts';
import { newServer, progressThrough } from './stateless-era.ts';

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
  readonly #known = new WeakMap<Generation, Methods>();

  constructor(options: Pick<StdioOptions, 'serving' | 'caller' | 'log'>) {
    this.#options = options;
    this.#telemetry = new Telemetry(options.serving, new InFlight());
  }

  newServer(): Server {
    const server: Server = newServer({
      methods: () => this.#methods(),
      during: (context, work) => {
        const release = this.#options.serving.current.hold();
        return work(this.#exchangeOf(context, server.getClientVersion()?.name)).finally(release);
      },
    });
    return server;
  }

  #exchangeOf(context: ServerContext, clientName: string | undefined): Exchange {
    return {
      caller: this.#options.caller,
      clientName,
      requestId: randomUUID(),
      signal: context.mcpReq.signal,
      ...progressThrough(context, context.mcpReq._meta?.progressToken),
    };
  }

  /** Those that are there now: a change of the configuration counts for a connection that is open, too. */
  #methods(): Methods {
    const { serving, log } = this.#options;
    const generation = serving.current;
    const endpoint = builtInEndpoints.all;
    const methods =
      this.#known.get(generation) ?? new Methods({ endpoint, generation, log, telemetry: this.#telemetry });
    this.#known.set(generation, methods);
    return methods;
  }
}
