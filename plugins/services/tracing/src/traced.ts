import { SpanStatusCode, context, trace } from '@opentelemetry/api';
import type { Span } from '@opentelemetry/api';
import { isSextantError } from '@sextant/core';

/** Methods that give objects whose own calls are spans, too, with the name of what they give. */
export type Openers = Readonly<Record<string, string>>;

/**
 * A service whose methods run in spans, `search.find`, while something watched is under way: what a service does of its
 * own accord has nobody who waits. A stream is a span until it was read. What a call was about stands in no span.
 */
export function traced<T extends object>(service: T, name: string, opens: Openers = {}): T {
  const made = new Map<PropertyKey, unknown>();
  // Not the service itself: what it may have frozen could not be answered in another way.
  const standIn: T = Object.create(service);
  return new Proxy(standIn, {
    get(_standIn, key) {
      if (made.has(key)) return made.get(key);
      const member: unknown = Reflect.get(service, key, service);
      if (typeof member !== 'function' || typeof key !== 'string') return member;
      const method = inSpan(`${name}.${key}`, member.bind(service), opens[key]);
      made.set(key, method);
      return method;
    },
  });
}

type Method = (...values: unknown[]) => unknown;

const inSpan =
  (name: string, method: Method, gives: string | undefined): Method =>
  (...values) => {
    const parent = trace.getActiveSpan();
    const span = parent && trace.getTracer('sextant').startSpan(name);
    if (!span) return method(...values);
    const answer = context.with(trace.setSpan(context.active(), span), () => method(...values));
    if (answer instanceof Promise) return whileAwaited(answer, span, gives);
    // One that answers at once leaves no span: it takes no time.
    return isStream(answer) ? whileRead(answer, span) : answer;
  };

async function whileAwaited(answer: Promise<unknown>, span: Span, gives: string | undefined): Promise<unknown> {
  try {
    const value = await answer;
    return gives !== undefined && typeof value === 'object' && value !== null ? traced(value, gives) : value;
  } catch (error) {
    fail(span, error);
    throw error;
  } finally {
    span.end();
  }
}

async function* whileRead(stream: AsyncIterable<unknown>, span: Span): AsyncGenerator {
  try {
    yield* stream;
  } catch (error) {
    fail(span, error);
    throw error;
  } finally {
    span.end();
  }
}

/** Messages name repositories and paths, so that only the kind of error is told. */
const fail = (span: Span, error: unknown): void =>
  void span.setStatus({ code: SpanStatusCode.ERROR, message: isSextantError(error) ? error.code : 'internal' });

const isStream = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
