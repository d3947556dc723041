import { createReadStream } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { SextantError, isSextantError, messageOf } from '@sextant/core';
import type { ErrorCode } from '@sextant/core';
import { BoundedWorker } from '@sextant/library-workers';
import { fileNameOf, isPathOfFile } from './index-store.ts';
import { IndexWriter } from './index-database.ts';
import { documentField, metadataField, readDocument, readIndexer, topMessages } from './scip-format.ts';

interface IngestJob {
  /** What was uploaded, plain or gzip. */
  readonly upload: string;
  /** Where the index is written until it is complete. The caller of `ingest` removes it. */
  readonly part: string;
  readonly folder: string;
  readonly repo: string;
  readonly commit: string;
  readonly root: string;
  /** Most bytes of the plain index. */
  readonly maxBytes: number;
  /** Most bytes of what it says of one file. */
  readonly maxDocumentBytes: number;
  /** Most names of one file. */
  readonly maxOccurrences: number;
  /** Most files. */
  readonly maxDocuments: number;
}

export interface Ingested {
  readonly indexer: string;
  readonly documents: number;
  readonly occurrences: number;
}

/** The message of the thread at its end. */
export type IngestAnswer =
  | { readonly ingested: Ingested }
  | { readonly code: ErrorCode | undefined; readonly message: string };

/** Makes an index file from an upload, or leaves nothing. Throws `invalid_argument` and `too_large`. */
export async function ingest(job: IngestJob): Promise<Ingested> {
  // SQLite would create it readable for other users.
  await (await open(job.part, 'wx', 0o600)).close();
  const writer = new IndexWriter(job.part);
  const ingested = await write(job, writer).finally(() => writer.close());
  await rename(job.part, join(job.folder, fileNameOf({ ...job, indexer: ingested.indexer })));
  return ingested;
}

async function write(job: IngestJob, writer: IndexWriter): Promise<Ingested> {
  const { repo, commit, root, maxDocumentBytes, maxDocuments, maxOccurrences } = job;
  let indexer: string | undefined;
  let documents = 0;
  for await (const { field, bytes } of topMessages(await plainBytes(job), maxDocumentBytes)) {
    if (field === metadataField) indexer ??= readIndexer(bytes);
    if (field !== documentField) continue;
    documents += 1;
    if (documents > maxDocuments)
      throw new SextantError(
        'too_large',
        `the SCIP index has more than ${maxDocuments} files, the most that are taken`,
      );
    const document = readDocument(bytes, maxOccurrences);
    const path = pathIn(root, document.path);
    if (path !== undefined) writer.add({ ...document, path });
  }
  if (indexer === undefined) throw new SextantError('invalid_argument', 'this is no SCIP index: it has no metadata');
  await writer.finish({ repo, commit, root, indexer });
  return { indexer, documents: writer.documents, occurrences: writer.occurrences };
}

/** Undefined for files outside of the repository, such as dependencies, and for invalid paths. */
function pathIn(root: string, path: string): string | undefined {
  if (!isPathOfFile(path)) return undefined;
  return root === '' ? path : `${root}/${path}`;
}

async function plainBytes({ upload, maxBytes }: IngestJob): Promise<AsyncIterable<Uint8Array>> {
  const file = await open(upload, 'r');
  const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 0).finally(() => file.close());
  const bytes = createReadStream(upload);
  const isGzip = buffer[0] === 0x1f && buffer[1] === 0x8b;
  // An error of either stream is thrown where the last one is read.
  return bounded(isGzip ? pipeline(bytes, createGunzip(), () => undefined) : bytes, maxBytes);
}

async function* bounded(stream: Readable, maxBytes: number): AsyncGenerator<Uint8Array, void, void> {
  let total = 0;
  try {
    for await (const chunk of stream) {
      total += chunk.length;
      if (total > maxBytes) throw new SextantError('too_large', `the SCIP index has more than ${maxBytes} bytes`);
      yield chunk;
    }
  } catch (error) {
    if (isSextantError(error)) throw error;
    throw new SextantError('invalid_argument', `the SCIP index cannot be unpacked: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** Largest heap of the thread. */
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
