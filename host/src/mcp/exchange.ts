import type { Call, Caller, Logger, Progress } from '@sextant/core';
import { withFields } from '../log/log-fields.ts';

/** What surrounds one request of a client, whatever the transport and the revision of the protocol. */
export interface Exchange {
  readonly caller: Caller;
  readonly clientName: string | undefined;
  readonly requestId: string;
  /** Aborts when the client cancels or goes away. */
  readonly signal: AbortSignal;
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
