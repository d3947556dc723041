import { HTTPResponse } from 'h3';
import type { ErrorCode, SextantError } from '@sextant/core';

/** The one place where a kind of failure becomes an HTTP status. */
export const statusOf: Readonly<Record<ErrorCode, number>> = {
  invalid_argument: 400,
  unauthenticated: 401,
  insufficient_scope: 403,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  exhausted: 429,
  canceled: 499,
  internal: 500,
  unavailable: 503,
  timeout: 504,
};

/** Seconds that a caller is asked to wait where nobody knows better. */
const defaultRetrySeconds = 1;

/** Whole seconds after which what failed may succeed; undefined where waiting does not help. */
export const retrySecondsOf = ({ code, retryAfterSeconds }: SextantError): number | undefined =>
  code === 'exhausted' || code === 'unavailable'
    ? Math.max(1, Math.ceil(retryAfterSeconds ?? defaultRetrySeconds))
    : undefined;

/** What goes with the status of an error, whatever its body is. */
export function headersOf(error: SextantError): Record<string, string> {
  switch (error.code) {
    case 'exhausted':
    case 'unavailable':
      return { 'retry-after': String(retrySecondsOf(error)) };
    case 'unauthenticated':
      return { 'www-authenticate': 'Bearer' };
    case 'insufficient_scope':
      return { 'www-authenticate': 'Bearer error="insufficient_scope"' };
    case 'too_large':
      // The rest of the body is not read, so the connection cannot be used again.
      return { connection: 'close' };
    default:
      return {};
  }
}

/** `{"error":{"code","message"}}` with the status of its code. */
export function errorResponse(error: SextantError): HTTPResponse {
  const { code, message } = error;
  return jsonResponse(statusOf[code], { error: { code, message } }, headersOf(error));
}

/** For a person: the message alone. */
export const errorText = (error: SextantError): HTTPResponse =>
  textResponse(statusOf[error.code], error.message, headersOf(error));

export const jsonResponse = (status: number, body: unknown, headers: Record<string, string> = {}): HTTPResponse =>
  new HTTPResponse(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });

export const textResponse = (status: number, body: string, headers: Record<string, string> = {}): HTTPResponse =>
  new HTTPResponse(body, { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers } });

/** 415 (RFC 9110 section 15.5.16): no body is unpacked, so that none is larger than it looks. */
export const encodingNotSupported = (): HTTPResponse =>
  jsonResponse(
    415,
    { error: { code: 'invalid_argument', message: 'the body has a Content-Encoding; send it without one' } },
    { 'accept-encoding': 'identity' },
  );

/** 405 for a path of the API that only knows other methods. */
export const methodNotAllowedInApi = (allowed: string): HTTPResponse =>
  jsonResponse(
    405,
    { error: { code: 'invalid_argument', message: `method not allowed; this path answers ${allowed}` } },
    { allow: allowed },
  );

/** 405 for a path that only knows other methods. */
export const methodNotAllowed = (allowed: string): HTTPResponse =>
  textResponse(405, `method not allowed; this path answers ${allowed}`, { allow: allowed });
