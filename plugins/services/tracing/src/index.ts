import { ProxyTracerProvider, context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  createAlwaysRecordSampler,
} from '@opentelemetry/sdk-trace';
import type { Sampler } from '@opentelemetry/sdk-trace';
import {
  Credits,
  Evaluator,
  GitStore,
  History,
  LanguageModel,
  Repositories,
  Researcher,
  Search,
  Symbols,
} from '@sextant/contracts';
import { definePlugin, defineWrapper, optional, token } from '@sextant/core';
import type { Logger, Token, Wrapper } from '@sextant/core';
import manifest from '../package.json' with { type: 'json' };
import { config } from './config.ts';
import type { Collector } from './config.ts';
import { SlowCalls } from './slow-calls.ts';
import { traced } from './traced.ts';
import type { Openers } from './traced.ts';
import { WatchedExporter } from './watched-exporter.ts';

/** Below all other wrappers, so that the time is that of the service itself. */
const order = 1000;

const spansOf = <T extends object>(service: Token<T>, opens?: Openers): Wrapper =>
  defineWrapper({
    service: optional(service),
    order,
    wrap: (inner) => inner && traced(inner, service.name, opens),
  });

export default definePlugin({
  name: 'service-tracing',
  config,
  capabilities: ['network'],
  wrappers: [
    spansOf(Repositories, { open: 'repository' }),
    spansOf(GitStore),
    spansOf(Search),
    spansOf(History),
    spansOf(Symbols),
    spansOf(Evaluator),
    spansOf(Researcher),
    spansOf(LanguageModel),
    spansOf(Credits),
  ],
  provides: { tracing: token<TracerProvider>('tracing') },
  async start({ otlp, slowMilliseconds }, _services, { log }) {
    const exporter = otlp && exporterTo(otlp, log);
    const provider = new TracerProvider({
      resource: resourceFromAttributes({ 'service.name': 'sextant', 'service.version': manifest.version }),
      sampler: samplerOf(otlp?.ratio ?? 0),
      spanProcessors: [
        new SlowCalls({ slowMilliseconds, log }),
        ...(exporter ? [new BatchSpanProcessor({ exporter })] : []),
      ],
    });
    use(provider);
    return {
      tracing: {
        value: provider,
        status: () => ({ isReady: true, detail: exporter?.counts ?? {}, failures: exporter?.failures ?? [] }),
        close: () => end(provider),
      },
    };
  },
});

const exporterTo = ({ url, headers }: Collector, log: Logger): WatchedExporter =>
  new WatchedExporter({ exporter: new OTLPTraceExporter({ url: `${url}/v1/traces`, headers }), name: url, log });

/** All spans are looked at, for slow calls. Clients may give their trace, and do not decide whether it is sent. */
function samplerOf(ratio: number): Sampler {
  const root = new TraceIdRatioBasedSampler(ratio);
  const byRatio = new ParentBasedSampler({ root, remoteParentSampled: root, remoteParentNotSampled: root });
  return createAlwaysRecordSampler(byRatio);
}

/** Takes the place of what an earlier configuration set. */
function use(provider: TracerProvider): void {
  trace.disable();
  trace.setGlobalTracerProvider(provider);
  // These two are the same whatever the configuration says; only the first of each is kept.
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
}

/** Unless another took its place. */
async function end(provider: TracerProvider): Promise<void> {
  const used = trace.getTracerProvider();
  if (used instanceof ProxyTracerProvider && used.getDelegate() === provider) trace.disable();
  await provider.shutdown();
}
