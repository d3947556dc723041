/** Contents one after the other in memory of their own, which whoever reads them may transfer to a thread. */
export interface BlobBatch {
  readonly ids: readonly string[];
  /** Bytes of each content; `missingBlob` where there is none. */
  readonly sizes: readonly number[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Instead of a size: git has no such blob, or it has more bytes than were wanted. */
export const missingBlob = -1;

/** The blobs of a batch. Contents are views of its memory. */
export function* contentsIn({ ids, sizes, bytes }: BlobBatch): Generator<{ id: string; content: Buffer | undefined }> {
  let end = 0;
  for (const [index, id] of ids.entries()) {
    const size = sizes[index] ?? missingBlob;
    const content = size === missingBlob ? undefined : Buffer.from(bytes.buffer, bytes.byteOffset + end, size);
    end += content?.length ?? 0;
    yield { id, content };
  }
}
