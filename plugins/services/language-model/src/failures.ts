import { APICallError, LoadAPIKeyError, RetryError } from 'ai';

/** A model that answered, but not in a way that can be used. The message completes "the language model failed: ". */
export class FailedResearch extends Error {
  override readonly name = 'FailedResearch';
}

/** What a caller may know of a failure: no addresses, keys or words of the provider. */
export const failureNote = (error: unknown): string =>
  `The language model could not be used (${reasonOf(error)}); this is the answer of the built-in researcher.`;

function reasonOf(error: unknown): string {
  if (error instanceof FailedResearch) return error.message;
  // The library wraps what a response ended with.
  if (error instanceof Error && error.cause instanceof FailedResearch) return error.cause.message;
  if (RetryError.isInstance(error)) return reasonOf(error.lastError);
  if (APICallError.isInstance(error)) return statusReason(error.statusCode);
  if (LoadAPIKeyError.isInstance(error)) return 'it has no API key';
  const name = error instanceof Error ? error.name : '';
  if (name === 'TimeoutError' || name === 'AbortError') return 'it took too long';
  return 'its answer could not be read';
}

function statusReason(status: number | undefined): string {
  if (status === undefined) return 'it could not be reached';
  if (status === 401 || status === 403) return 'it refused the API key';
  if (status === 429) return 'it is over its quota';
  return `it answered with status ${status}`;
}
