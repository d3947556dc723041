import { parentPort, workerData } from 'node:worker_threads';
import { isSextantError, messageOf } from '@sextant/core';
import { ingest } from './ingest.ts';
import type { IngestAnswer } from './ingest.ts';

const answer: IngestAnswer = await ingest(workerData).then(
  (ingested) => ({ ingested }),
  (error: unknown) => ({ code: isSextantError(error) ? error.code : undefined, message: messageOf(error) }),
);
parentPort?.postMessage(answer);
