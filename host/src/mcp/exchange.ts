import { isSextantError } from '@sextant/core';
import type { Call, Caller, Logger, Progress, SextantError } from '@sextant/core';
import { withFields } from '../log/log-fields.ts';
import type { TraceParent } from '../metrics/trace-parent.ts';

/** What surrounds one request of a client, whatever the transport and the revision of the protocol. */
export interface Exchange {
  readonly caller: Caller;
  readonly clientName: string | undefined;
  readonly requestId: string;
  /** From the headers of the request; absent where there are none. */
  readonly traceParent?: TraceParent;
  /** Aborts when the client cancels or goes away. */
  readonly signal: AbortSignal;
  /** Throws `forbidden` if the caller may do less than when the request came; absent for the terminal of the operator. */
  requireRights?(): Promise<void>;
  /** Absent where nobody asked for progress. */
  readonly reportProgress?: (progress: Progress) => void;
}

/** The call of a tool, or the read of a resource, that an exchange is about. */
export const callOf = (
  { caller, clientName, requestId, signal, reportProgress }: Exchange,
  { endpoint, log }: { endpoint: string; log: Logger },
): Call => ({
  caller,
  endpoint,
  ...(clientName !== undefined && { clientName }),
  signal,
  log: withFields(log, { requestId }),
  reportProgress: (progress) => reportProgress?.(progress),
});

/** What work came to, unless its caller lost rights meanwhile: an error may tell as much as an answer. */
export async function unlessRightsLost<O extends { ok: boolean }>(
  outcome: O,
  { requireRights }: Exchange,
): Promise<O | { ok: false; error: SextantError }> {
  try {
    await requireRights?.();
    return outcome;
  } catch (error) {
    if (!isSextantError(error)) throw error;
    return { ok: false, error };
  }
}
