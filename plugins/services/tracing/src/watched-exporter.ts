import { ExportResultCode } from '@opentelemetry/core';
import type { ExportResult } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { messageOf } from '@sextant/core';
import type { Logger, ServiceFailure } from '@sextant/core';

export interface WatchedExporterOptions {
  readonly exporter: SpanExporter;
  /** The collector, as the operator knows it. */
  readonly name: string;
  readonly log: Logger;
}

/** Sends spans, counts them, and tells once that the collector does not take them, and once that it does again. */
export class WatchedExporter implements SpanExporter {
  readonly #options: WatchedExporterOptions;
  #sent = 0;
  #lost = 0;
  #failure: { reason: string; since: string } | undefined;

  constructor(options: WatchedExporterOptions) {
    this.#options = options;
  }

  get counts(): { sent: number; lost: number } {
    return { sent: this.#sent, lost: this.#lost };
  }

  get failures(): readonly ServiceFailure[] {
    return this.#failure ? [{ name: this.#options.name, ...this.#failure }] : [];
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.#options.exporter.export(spans, ({ code, error }) => {
      if (code === ExportResultCode.SUCCESS) this.#succeed(spans.length);
      else this.#fail(spans.length, messageOf(error ?? 'no reason was given'));
      // It was told here: the SDK would write it to the terminal each time.
      done({ code: ExportResultCode.SUCCESS });
    });
  }

  #succeed(count: number): void {
    this.#sent += count;
    if (this.#failure) this.#options.log.info({ collector: this.#options.name }, 'traces are sent again');
    this.#failure = undefined;
  }

  #fail(count: number, reason: string): void {
    this.#lost += count;
    if (!this.#failure) this.#options.log.warn({ collector: this.#options.name, reason }, 'traces cannot be sent');
    this.#failure = {
      reason: `traces cannot be sent: ${reason}`,
      since: this.#failure?.since ?? new Date().toISOString(),
    };
  }

  forceFlush(): Promise<void> {
    return this.#options.exporter.forceFlush?.() ?? Promise.resolve();
  }

  shutdown(): Promise<void> {
    return this.#options.exporter.shutdown();
  }
}
