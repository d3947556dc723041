/** The trace that a call belongs to, as its caller says (W3C Trace Context). */
export interface TraceParent {
  readonly traceparent?: string;
  readonly tracestate?: string;
}

export const traceParentIn = ({ headers }: Request): TraceParent =>
  traceParentOf({ traceparent: headers.get('traceparent'), tracestate: headers.get('tracestate') });

/** `_meta` of a message names it under the same words as headers do. */
export function traceParentOf(carrier: unknown): TraceParent {
  if (typeof carrier !== 'object' || carrier === null || !('traceparent' in carrier)) return {};
  const { traceparent } = carrier;
  if (typeof traceparent !== 'string') return {};
  const tracestate = 'tracestate' in carrier ? carrier.tracestate : undefined;
  return { traceparent, ...(typeof tracestate === 'string' && { tracestate }) };
}
