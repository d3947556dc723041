import { trace } from '@opentelemetry/api';
import type { Context, HrTime, Span as AnySpan } from '@opentelemetry/api';
import type { ReadableSpan, Span, SpanProcessor } from '@opentelemetry/sdk-trace';
import type { Logger } from '@sextant/core';

export interface SlowCallsOptions {
  readonly slowMilliseconds: number;
  readonly log: Logger;
}

/** What a call under way has spent, by operation. */
type Spending = Map<string, { calls: number; milliseconds: number }>;

/** The operations that a line names. */
const mostOperations = 12;

/** Logs each call that took longer than a limit, with what its time went into. */
export class SlowCalls implements SpanProcessor {
  readonly #options: SlowCallsOptions;
  /** Shared by the spans of one call. */
  readonly #spendings = new WeakMap<AnySpan | ReadableSpan, Spending>();
  readonly #roots = new WeakSet<ReadableSpan>();

  constructor(options: SlowCallsOptions) {
    this.#options = options;
  }

  onStart(span: Span, parentContext: Context): void {
    const parent = trace.getSpan(parentContext);
    const spending = parent && this.#spendings.get(parent);
    if (!spending) this.#roots.add(span);
    this.#spendings.set(span, spending ?? new Map());
  }

  onEnd(span: ReadableSpan): void {
    const spending = this.#spendings.get(span);
    if (!spending) return;
    if (this.#roots.has(span)) return this.#judge(span, spending);
    const { calls, milliseconds } = spending.get(span.name) ?? { calls: 0, milliseconds: 0 };
    spending.set(span.name, { calls: calls + 1, milliseconds: milliseconds + millisecondsOf(span.duration) });
  }

  #judge(span: ReadableSpan, spending: Spending): void {
    const milliseconds = millisecondsOf(span.duration);
    if (milliseconds <= this.#options.slowMilliseconds) return;
    const spent = [...spending]
      .toSorted(([, a], [, b]) => b.milliseconds - a.milliseconds)
      .slice(0, mostOperations)
      .map(([operation, { calls, milliseconds: took }]) => [operation, { calls, milliseconds: Math.round(took) }]);
    this.#options.log.warn(
      {
        call: span.name,
        milliseconds: Math.round(milliseconds),
        requestId: span.attributes['sextant.request_id'],
        traceId: span.spanContext().traceId,
        spent: Object.fromEntries(spent),
      },
      'slow call',
    );
  }

  async forceFlush(): Promise<void> {}

  async shutdown(): Promise<void> {}
}

const millisecondsOf = ([seconds, nanoseconds]: HrTime): number => seconds * 1000 + nanoseconds / 1e6;
