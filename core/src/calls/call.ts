import type { Logger } from '../plugins/logger.ts';
import type { Caller } from './policy.ts';

/** How far a call has come. `progress` only grows; `total` is absent while it is unknown. */
export interface Progress {
  progress: number;
  total?: number;
  message?: string;
}

/** A link to a page that the caller may open. */
export interface NavigationLink {
  readonly title: string;
  readonly path: string;
}

/** What surrounds one run of a tool, report or page. */
export interface Call {
  readonly caller: Caller;
  /** The path of the endpoint that was called. */
  readonly endpoint: string;
  /** The client's name for itself, from the MCP handshake or the user agent. */
  readonly clientName?: string;
  /** Address of the other side, or undefined where there is none. */
  readonly remoteAddress?: string;
  /** Aborts when the caller cancels, disconnects or the deadline passes. Pass it on to everything that waits. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Tells a caller who asked for progress; cheap, and ignored where nobody listens. */
  reportProgress(progress: Progress): void;
  /** The pages that the navigation leads this caller to, in their order; absent where no page is answered. */
  readonly navigation?: readonly NavigationLink[];
  /** Adds to the credits that the call is recorded with; absent where calls are not recorded. */
  noteCredits?(credits: number): void;
  /**
   * Says that the call is about a repository, by its whole name: once, or for each part of the answer that is from it.
   * The call is recorded with the one that was said most. Only what the caller may read is said. Absent where calls are
   * not recorded.
   */
  noteRepository?(name: string): void;
  /**
   * Says that a page did what a tool of this wire name does, with the paths of the files that it shows: reports count
   * it as a call of the client `web`. Absent where no page is answered.
   */
  countAs?(tool: string, files?: readonly string[]): void;
}
