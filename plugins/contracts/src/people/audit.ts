import { token } from '@sextant/core';

/** What happened, by whom, from where. Never a secret, never the content of a file. */
export interface AuditEvent {
  /** `sign-in.succeeded`, `token.created`, `client.registered`, `call.refused`: noun, dot, past participle. */
  readonly action: string;
  readonly outcome: 'success' | 'failure';
  /** Who did it; absent while nobody is signed in. */
  readonly actor?: { readonly id: number; readonly name: string };
  /** Address of the other side. */
  readonly address?: string;
  /** Name or id of the OAuth client or token. */
  readonly client?: string;
  /** What it was done to: a user's name, a token's id, a role. */
  readonly target?: string;
  /** Why it failed, or what changed: short text, at most 500 characters are kept. */
  readonly detail?: string;
}

export interface RecordedEvent extends AuditEvent {
  /** Grows with each event. */
  readonly id: number;
  /** RFC 3339 in UTC. */
  readonly time: string;
}

export interface AuditFilter {
  /** RFC 3339 or YYYY-MM-DD: events at or after it. */
  since?: string | undefined;
  /** As `since`: events before it; of a day, the events of that day too. */
  until?: string | undefined;
  action?: string | undefined;
  actor?: string | undefined;
  outcome?: AuditEvent['outcome'] | undefined;
  /** A part of the target, the detail, the address or the client; letters A to Z in any case. */
  about?: string | undefined;
  /** Events with a smaller id: the next page. */
  before?: number | undefined;
  limit: number;
}

export interface AuditPage {
  /** Newest first. Fewer than asked for where more would mean reading too much of the log at once. */
  readonly events: readonly RecordedEvent[];
  /** `before` of the next page; absent where nothing older is left. */
  readonly next?: number;
}

/** The append-only record of sign-ins, failures, tokens, clients, roles and refused calls. */
export interface Audit {
  /** Returns at once; what was recorded is on disk within a second, but for repeated failures, which are counted and told within a minute. Never throws: a failing log does not stop a sign-in, and is logged. */
  record(event: AuditEvent): void;
  /** With what was recorded until now. Reads a bounded number of events, whatever the filter. */
  list(filter: AuditFilter): Promise<AuditPage>;
}

export const Audit = token<Audit>('audit');
