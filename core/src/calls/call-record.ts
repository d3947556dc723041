import type { ErrorCode } from './errors.ts';
import type { Activity } from '../surface/tool.ts';
import { token } from '../plugins/token.ts';

/** One finished call of a tool, one read of a resource, or one view of a page or report. */
export interface CallRecord {
  readonly kind: 'tool' | 'report' | 'page';
  /** Wire name of the tool, or `resources/read`; name of the report or page. */
  readonly name: string;
  /** Of a tool, as it declares it. */
  readonly activity?: Activity;
  /** The path that was called. */
  readonly endpoint: string;
  readonly userId: number;
  /** The client's name for itself, where it gave one. */
  readonly clientName: string | undefined;
  /** Paths of the files that the answer is about. */
  readonly files: readonly string[];
  /** The repository that most of the answer is about; absent where it is about none. */
  readonly repository?: string | undefined;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly milliseconds: number;
  readonly outcome: 'ok' | ErrorCode;
  readonly credits: number;
}

/** Whoever wants to know of every call. The host tells it where a plugin provides it. */
export interface CallRecorder {
  /** Returns at once and never throws: the call that it is told of is not slowed. */
  record(record: CallRecord): void;
}

export const CallRecorder = token<CallRecorder>('call-recorder', { isForServices: true });
