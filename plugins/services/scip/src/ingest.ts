import { createReadStream } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { SextantError, isSextantError, messageOf } from '@sextant/core';
import { fileNameOf, isPathOfFile } from './index-name.ts';
import { IndexWriter } from './index-writer.ts';
import { documentField, metadataField, topMessages } from './messages.ts';
import { readDocument, readIndexer } from './scip-format.ts';

export interface IngestJob {
  /** What was uploaded, plain or gzip. */
  readonly upload: string;
  /** Where the index is written until it is whole; whoever started the job removes it. */
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
  /** Most bytes that the index takes in memory while it is open. */
  readonly maxOpenBytes: number;
}

export interface Ingested {
  readonly indexer: string;
  readonly documents: number;
  readonly occurrences: number;
}

/** Makes an index file of an uploaded one, all or nothing. Throws `invalid_argument` and `too_large`. */
export async function ingest(job: IngestJob): Promise<Ingested> {
  const file = await open(job.part, 'wx', 0o600);
  const ingested = await write(job, new IndexWriter(file, job)).finally(() => file.close());
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
    if (path !== undefined) await writer.add({ ...document, path });
  }
  if (indexer === undefined) throw new SextantError('invalid_argument', 'this is no SCIP index: it has no metadata');
  await writer.finish({ repo, commit, root, indexer });
  return { indexer, documents: writer.documents, occurrences: writer.occurrences };
}

/** Undefined for files outside of the repository, such as those of dependencies, and for what is no path. */
function pathIn(root: string, path: string): string | undefined {
  if (!isPathOfFile(path)) return undefined;
  return root === '' ? path : `${root}/${path}`;
}

async function plainBytes({ upload, maxBytes }: IngestJob): Promise<AsyncIterable<Uint8Array>> {
  const file = await open(upload, 'r');
  const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 0).finally(() => file.close());
  const bytes = createReadStream(upload);
  const isGzip = buffer[0] === 0x1f && buffer[1] === 0x8b;
  // The error of either stream comes out where the last one is read.
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
