import { isUtf8 } from 'node:buffer';
import { contentsIn } from '@sextant/contracts';
import type { StoredRepository } from '@sextant/contracts';

interface BlobContent {
  readonly id: string;
  /** Undefined for what is binary, in another encoding than UTF-8, or not there. */
  readonly text: string | undefined;
}

/** Longer blobs are not read. A few kilobytes of git objects can be gigabytes of content. */
const maxBytes = 4 << 20;

/** The texts of blobs in their order, read in the background. Other encodings than UTF-8 are decoded only for callers. */
export async function* blobContents(
  repository: StoredRepository,
  ids: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<BlobContent, void, void> {
  for await (const { id, content } of blobsOf(repository, ids, { signal, isBackground: true }))
    yield { id, text: content && textOf(content) };
}

/** The bytes of blobs in their order, without those that are too long to parse. Undefined for a missing blob. */
export async function* blobsOf(
  repository: StoredRepository,
  ids: readonly string[],
  options: { readonly signal: AbortSignal; readonly isBackground?: boolean },
): AsyncGenerator<{ readonly id: string; readonly content: Buffer | undefined }, void, void> {
  for await (const batch of repository.blobs(ids, { maxBytes, ...options })) yield* contentsIn(batch);
}

function textOf(bytes: Buffer): string | undefined {
  if (bytes.includes(0) || !isUtf8(bytes)) return undefined;
  const hasMark = bytes.toString('hex', 0, 3) === 'efbbbf';
  return bytes.toString('utf8', hasMark ? 3 : 0);
}
