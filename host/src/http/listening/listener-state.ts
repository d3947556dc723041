import type { Logger } from '@sextant/core';
import type { Serving } from '../../server/generation.ts';
import { InFlight } from '../limits.ts';
import { ProcessorTime } from '../processor-time.ts';
import { Cancellations } from '../../mcp/cancellations.ts';
import { ToolCalls } from '../../mcp/tool-calls.ts';
import { ClientNames } from '../../mcp/client-names.ts';
import { Telemetry } from '../../metrics/telemetry.ts';

export interface ListenerOptions {
  serving: Serving;
  log: Logger;
  /** Whether only this machine reaches the listener. */
  isLoopback: boolean;
}

const tellAgainMs = 60_000;

/** What lives as long as the listener, over all generations. */
export class ListenerState {
  readonly serving: Serving;
  readonly log: Logger;
  readonly isLoopback: boolean;
  readonly inFlight = new InFlight();
  readonly cancellations: Cancellations;
  readonly clientNames = new ClientNames();
  readonly telemetry: Telemetry;
  readonly toolCalls = new ToolCalls((message) => this.tellOfLimit(message));
  readonly processorTime = new ProcessorTime((message) => this.tellOfLimit(message));
  /** Set when the server stops: calls in flight end, new ones are refused, and connections are not kept. */
  isDraining = false;
  #limitToldAt = Number.NEGATIVE_INFINITY;

  constructor({ serving, log, isLoopback }: ListenerOptions) {
    this.serving = serving;
    this.log = log;
    this.isLoopback = isLoopback;
    this.cancellations = new Cancellations(serving.current.announcements);
    this.telemetry = new Telemetry(serving, this.inFlight);
  }

  /** Logs that callers are refused at a limit: once a minute, however many there are. */
  tellOfLimit(message: string): void {
    const now = performance.now();
    if (now - this.#limitToldAt < tellAgainMs) return;
    this.#limitToldAt = now;
    this.log.warn({}, `callers are refused at a limit: ${message}`);
  }
}
