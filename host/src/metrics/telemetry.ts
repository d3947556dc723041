import { SpanStatusCode, context, propagation, trace } from '@opentelemetry/api';
import { metered } from '@sextant/core';
import type { ErrorCode, ProcessorMeter } from '@sextant/core';
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { connectionLimits } from '../http/listening/connection-limits.ts';
import type { InFlight } from '../http/limits.ts';
import type { Serving } from '../server/generation.ts';
import { readinessOf } from '../http/health.ts';
import type { TraceParent } from './trace-parent.ts';

export interface FinishedCall {
  tool: string;
  endpoint: string;
  outcome: ErrorCode | 'ok';
  seconds: number;
}

/** What is told of a call to those who trace calls. Names of people, repositories and files do not belong here. */
export interface CallSpan {
  readonly name: string;
  readonly requestId: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Where the caller says which trace the call belongs to (W3C Trace Context). */
  readonly parent: TraceParent;
  /** Takes its processor time, besides the metrics. */
  readonly meter?: ProcessorMeter;
}

/** Why a request was refused before any tool ran. */
export type RefusalReason = ErrorCode | 'bad_request';

/** Counts for Prometheus, and spans for whoever registered an OpenTelemetry provider. Labels never name a person. */
export class Telemetry {
  readonly #serving: Serving;
  readonly #registry = new Registry();
  readonly #calls = new Histogram({
    name: 'sextant_tool_call_seconds',
    help: 'Duration of tool calls',
    labelNames: ['tool', 'endpoint', 'outcome'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers: [this.#registry],
  });
  readonly #processor = new Counter({
    name: 'sextant_processor_seconds_total',
    help: 'Processor time of calls outside of the main thread: on threads, and in git',
    labelNames: ['call'],
    registers: [this.#registry],
  });
  readonly #refusals = new Counter({
    name: 'sextant_rejected_requests_total',
    help: 'Requests that were refused before a tool ran',
    labelNames: ['reason'],
    registers: [this.#registry],
  });
  /** What anyone may know. */
  readonly #publicRegistry = new Registry();
  #watchesProcess = false;

  constructor(serving: Serving, inFlight: InFlight) {
    this.#serving = serving;
    this.#gauge('sextant_calls_in_flight', 'Calls that are being answered', (gauge) => gauge.set(inFlight.total));
    const limits = new Gauge({
      name: 'sextant_limit',
      help: 'Limits in force',
      labelNames: ['limit'],
      registers: [this.#registry],
      collect: () => {
        const { limits: given } = serving.current.settings;
        for (const [limit, value] of Object.entries({ ...given, ...connectionLimits(given) }))
          if (typeof value === 'number') limits.set({ limit }, value);
      },
    });
    this.#watchServices(serving);
    this.#publish('sextant_ready', '1 when everything that can be served is served', (gauge) =>
      gauge.set(readinessOf(serving.current).status === 'ready' ? 1 : 0),
    );
    this.#publish('sextant_progress_percent', 'How far the preparation is; 100 when ready', (gauge) =>
      gauge.set(readinessOf(serving.current).progress),
    );
  }

  /** What services say of themselves in numbers. */
  #watchServices(serving: Serving): void {
    const states = new Gauge({
      name: 'sextant_service',
      help: 'Numbers that services tell of their state; ready is 1 or 0',
      labelNames: ['service', 'what'],
      registers: [this.#registry],
      collect: () => {
        states.reset();
        for (const [service, { isReady, detail }] of Object.entries(serving.current.status())) {
          states.set({ service, what: 'ready' }, isReady ? 1 : 0);
          for (const [what, value] of Object.entries(detail))
            if (typeof value === 'number') states.set({ service, what }, value);
        }
      },
    });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Everything that was counted, in the text format of Prometheus. */
  async metrics(): Promise<string> {
    // Started by the first request, because watching the process has a cost.
    if (!this.#watchesProcess) collectDefaultMetrics({ register: this.#registry });
    this.#watchesProcess = true;
    return `${await this.#registry.metrics()}${await this.#serving.current.pluginMetrics()}`;
  }

  /** Nothing but whether the server is ready, and how far it is. */
  publicMetrics(): Promise<string> {
    return this.#publicRegistry.metrics();
  }

  /** Only `recordRefusal` calls it, so that what is counted is also recorded. */
  countRefusal(reason: RefusalReason): void {
    harmlessly(() => this.#refusals.inc({ reason }));
  }

  /**
   * Runs what answers one call in a span of its own, which belongs to the caller's trace where it names one. It may ask for
   * the processor time, in milliseconds, that the call had until then.
   */
  inSpan<T>(
    { name, requestId, attributes, parent, meter }: CallSpan,
    run: (processorMs: () => number) => Promise<T>,
  ): Promise<T> {
    const options = { attributes: { ...attributes, 'sextant.request_id': requestId } };
    const within = propagation.extract(context.active(), parent);
    const started = performance.now();
    let spent = 0;
    const add = (milliseconds: number): void => {
      spent += milliseconds;
      meter?.add(milliseconds);
      harmlessly(() => this.#processor.inc({ call: name }, milliseconds / 1000));
    };
    // Not kept: another configuration may bring another tracer.
    return trace.getTracer('sextant').startActiveSpan(name, options, within, (span) =>
      metered({ add }, () => run(() => spent)).finally(() => {
        span.end();
        const milliseconds = performance.now() - started;
        harmlessly(() =>
          this.#serving.current.recent.takeCall({ name, requestId, milliseconds, processorMilliseconds: spent }),
        );
      }),
    );
  }

  finish({ tool, endpoint, outcome, seconds }: FinishedCall): void {
    harmlessly(() => this.#calls.observe({ tool, endpoint, outcome }, seconds));
    if (outcome !== 'ok') trace.getActiveSpan()?.setStatus({ code: SpanStatusCode.ERROR, message: outcome });
  }

  #publish(name: string, help: string, update: (gauge: Gauge) => void): void {
    const registers = [this.#registry, this.#publicRegistry];
    const gauge: Gauge = new Gauge({ name, help, registers, collect: () => update(gauge) });
  }

  #gauge(name: string, help: string, update: (gauge: Gauge) => void): void {
    const gauge: Gauge = new Gauge({ name, help, registers: [this.#registry], collect: () => update(gauge) });
  }
}

/** A failure of counting must not fail a call. A plugin may have changed the prototype of all objects. */
function harmlessly(count: () => void): void {
  try {
    count();
  } catch {
    // The next question for the metrics fails, and says so.
  }
}
