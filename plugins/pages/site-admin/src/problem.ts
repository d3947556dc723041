import { isSextantError } from '@sextant/core';

/** What a person may be told; anything else is a bug and thrown again. */
export function problemOf(error: unknown): string {
  if (isSextantError(error)) return error.message;
  throw error;
}
