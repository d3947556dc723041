import type { Caller } from '@sextant/core';

/** One commit of a repository that its caller has opened. */
export interface Snapshot {
  readonly caller: Caller;
  readonly repo: string;
  /** As asked for. */
  readonly revision: string | undefined;
  readonly commit: string;
}
