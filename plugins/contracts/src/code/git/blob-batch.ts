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

/** What Git LFS stores in git in place of a file. */
export interface LfsPointer {
  /** Of the file, in hexadecimal digits. */
  readonly sha256: string;
  readonly bytes: number;
}

/** A pointer is shorter. */
const mostPointerBytes = 1024;
/** Whole: a text that only quotes a pointer is a text. As `git lfs` reads them, also with CRLF and without the last line end. */
const pointer =
  /^version https:\/\/(?:git-lfs|hawser)\.github\.com\/spec\/v1\r?\n(?:ext-\d-\S+ sha256:[\da-f]{64}\r?\n)*oid sha256:([\da-f]{64})\r?\nsize (\d{1,15})\s*$/;

/** The pointer that a blob is, by the specification of Git LFS (docs/spec.md there); undefined for any other content. */
export function lfsPointer(content: Buffer): LfsPointer | undefined {
  if (content.length >= mostPointerBytes) return undefined;
  const [, sha256, bytes] = pointer.exec(content.toString('latin1')) ?? [];
  return sha256 === undefined ? undefined : { sha256, bytes: Number(bytes) };
}
