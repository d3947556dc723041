import { oneLine } from '../text/visible.ts';

/** Every kind of failure that a caller may be told about. Anything else is a bug and answered as `internal`. */
export const errorCodes = [
  'invalid_argument',
  'not_found',
  'unauthenticated',
  'insufficient_scope',
  'forbidden',
  'conflict',
  'too_large',
  'exhausted',
  'timeout',
  'canceled',
  'unavailable',
  'internal',
] as const;

export type ErrorCode = (typeof errorCodes)[number];

export interface ErrorDetails {
  /** Seconds after which the same call may succeed; for `exhausted` and `unavailable`. */
  retryAfterSeconds?: number;
  /** What went wrong below; logged, never shown to the caller. */
  cause?: unknown;
}

/** A failure whose message is written for the caller: what was wrong, what is allowed, the nearest right thing. */
export class SextantError extends Error {
  override readonly name = 'SextantError';
  readonly code: ErrorCode;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.code = code;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}

/** Whether something that was thrown is meant for the caller; also when a plugin has its own copy of this package. */
export const isSextantError = (thrown: unknown): thrown is SextantError =>
  thrown instanceof Error && thrown.name === 'SextantError' && 'code' in thrown && isErrorCode(thrown.code);

const isErrorCode = (code: unknown): code is ErrorCode => errorCodes.some((known) => known === code);

/**
 * The message for an operator, in one line of at most 500 characters. If the message is written for callers, it is the
 * cause below it.
 */
export function operatorReason(thrown: unknown): string {
  const reason = messageOf(isSextantError(thrown) ? (thrown.cause ?? thrown) : thrown).trim();
  return oneLine(reason.replaceAll(/\s*\n\s*/g, '; ').slice(0, mostOfReason));
}

const mostOfReason = 500;

/** The message of anything that was thrown. For logs and for operators, not for callers. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** What callers are told of a disk that cannot be written, by the code of the system. */
export const diskFailures: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk of the server is full',
  EDQUOT: 'the disk of the server is full',
  EROFS: 'the disk of the server is read-only',
  EACCES: 'the data folder of the server cannot be written',
};
