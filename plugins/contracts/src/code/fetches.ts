import { token } from '@sextant/core';
import type { Caller } from '@sextant/core';
import type { Asking } from './repositories.ts';

/** Brings repositories up to date when someone who knows that they changed says so. */
export interface Fetches {
  /**
   * Queues the fetch of one repository, or of all that the caller may read; folders are scanned again too. Answers the
   * names. A call names them where `asking` says so. Throws `not_found` for a repository that the caller may not read.
   */
  queue(caller: Caller, name: string | undefined, asking?: Asking): Promise<string[]>;
}

export const Fetches = token<Fetches>('git-fetches');
