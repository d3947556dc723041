import type { Caller, Progress } from '@sextant/core';

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
