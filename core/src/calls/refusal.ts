import type { ErrorCode } from './errors.ts';
import type { Caller } from './policy.ts';
import { token } from '../plugins/token.ts';

/** A request that was refused because of who sent it, before or while something answered it. */
export interface Refusal {
  readonly code: ErrorCode;
  /** What the caller was told. */
  readonly message: string;
  /** The path that was asked for. */
  readonly path: string;
  /** Absent where the credentials were not good. */
  readonly caller?: Caller;
  readonly remoteAddress?: string;
  /** The client's name for itself, where it gave one. */
  readonly clientName?: string;
}

/** Whoever wants to know of every refusal. The host tells it where a plugin provides it. */
export interface RefusalRecorder {
  /** Returns at once and never throws. */
  refused(refusal: Refusal): void;
}

export const RefusalRecorder = token<RefusalRecorder>('refusal-recorder', { isForServices: true });
