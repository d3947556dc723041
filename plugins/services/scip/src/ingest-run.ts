import { SextantError } from '@sextant/core';
import { BoundedWorker } from '@sextant/library-workers';
import type { IngestJob, Ingested } from './ingest.ts';
import type { IngestAnswer } from './ingest-thread.ts';

/** Of the thread's heap. The symbols of the index are beside it and counted by themselves. */
const heapMegabytes = 512;

/** Does the job in a thread of its own, so that a large or hostile index slows and endangers nobody. */
export async function ingestInThread(
  { longestMs, ...job }: IngestJob & { readonly longestMs: number },
  signal: AbortSignal,
): Promise<Ingested> {
  signal.throwIfAborted();
  const worker = new BoundedWorker(new URL('./ingest-thread.ts', import.meta.url), {
    workerData: job,
    heapMegabytes,
  });
  const { promise, resolve, reject } = Promise.withResolvers<Ingested>();
  const stop = (): void => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  worker.once('message', (answer: IngestAnswer) => {
    if ('ingested' in answer) resolve(answer.ingested);
    else reject(answer.code ? new SextantError(answer.code, answer.message) : new Error(answer.message));
  });
  worker.once('error', (error) => reject(failureOf(error)));
  const late = new SextantError(
    'too_large',
    `storing the SCIP index takes more than ${longestMs / 1000} seconds, the longest allowed`,
  );
  const timer = setTimeout(() => reject(late), longestMs);
  worker.once('exit', () => reject(new Error('the thread that reads the index ended')));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    await worker.terminate();
  }
}

const failureOf = (error: Error): Error =>
  'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? new SextantError('too_large', 'the SCIP index needs too much memory: what it says of one file is too long')
    : error;
