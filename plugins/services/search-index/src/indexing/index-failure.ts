import { diskFailures, isSextantError, SextantError, unlessAborted } from '@sextant/core';
import { DamagedIndexError } from '../shards/loaded-shard.ts';

const known: Readonly<Record<string, string>> = {
  ...diskFailures,
  EFBIG: 'a file of the index may not be as large as it must (a limit of the server’s process)',
  EMFILE: 'the server has too many open files',
  ERR_WORKER_OUT_OF_MEMORY: 'its index takes more memory than the server has',
  ENDED: 'the server reads its indexes again; try again in a moment',
  LimitError: 'the memory for indexes is used up (memoryBytes of service-search-index)',
};

/** The error for a caller when a repository could not be indexed. Details are in the log. */
export function indexFailure(repository: string, error: unknown): SextantError {
  if (isSextantError(error)) return asUnavailable(error);
  const message = `repository "${repository}" cannot be searched now: ${reasonIn(error)}`;
  return new SextantError('unavailable', message, { cause: error });
}

/** A repository that is too large does not make a search of many repositories wrong. */
const asUnavailable = (error: SextantError): SextantError =>
  error.code === 'too_large' || error.code === 'timeout'
    ? new SextantError('unavailable', error.message, { cause: error })
    : error;

/** Why a repository could not be indexed, for who may read it. */
export const failureReason = (error: unknown): string => (isSextantError(error) ? error.message : reasonIn(error));

/** The same for anyone: no names of repositories. */
export const publicReason = (error: unknown): string =>
  isSextantError(error) ? 'it could not be read; the log says why' : reasonIn(error);

const reasonIn = (error: unknown): string => known[codeOf(error)] ?? 'its index could not be built';

/** The code of an error of a thread, or of the system. */
const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

/** Turns an error of indexing into the error that a caller is told. DamagedIndexError stays, because it is repaired. */
export const orIndexFailure = <T>(repository: string, work: Promise<T>, signal: AbortSignal): Promise<T> =>
  unlessAborted(work, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    throw error instanceof DamagedIndexError ? error : indexFailure(repository, error);
  });
