import { parentPort, workerData } from 'node:worker_threads';
import { isSextantError, messageOf } from '@sextant/core';
import type { ErrorCode } from '@sextant/core';
import { ingest } from './ingest.ts';
import type { Ingested } from './ingest.ts';

/** What the thread says at its end. */
export type IngestAnswer =
  | { readonly ingested: Ingested }
  | { readonly code: ErrorCode | undefined; readonly message: string };

const answer: IngestAnswer = await ingest(workerData).then(
  (ingested) => ({ ingested }),
  (error: unknown) => ({ code: isSextantError(error) ? error.code : undefined, message: messageOf(error) }),
);
parentPort?.postMessage(answer);
