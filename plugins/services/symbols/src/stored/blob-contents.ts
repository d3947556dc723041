import { isUtf8 } from 'node:buffer';
import type { StoredRepository } from '@sextant/contracts';

export interface BlobContent {
  readonly id: string;
  /** Undefined for what is binary, in another encoding than UTF-8, or not there. */
  readonly text: string | undefined;
}

const newline = 10;
/** For a whole batch. */
const gitSeconds = 3600;

/** The contents of blobs, in their order, read in the background. What is not UTF-8 is left to those who read the file for a caller. */
export async function* blobContents(
  repository: StoredRepository,
  ids: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<BlobContent, void, void> {
  for await (const { id, content } of blobsOf(repository, ids, { signal, isBackground: true }))
    yield { id, text: content && textOf(content) };
}

/** The bytes of blobs, in their order; undefined for what is not there. */
export async function* blobsOf(
  repository: StoredRepository,
  ids: readonly string[],
  options: { readonly signal: AbortSignal; readonly isBackground?: boolean },
): AsyncGenerator<{ readonly id: string; readonly content: Buffer | undefined }, void, void> {
  const input = [Buffer.from(ids.map((id) => `${id}\n`).join(''))];
  let rest: Buffer = Buffer.alloc(0);
  const args = ['cat-file', '--batch', '--buffer'];
  for await (const piece of repository.stream({ args, input, seconds: gitSeconds, ...options })) {
    rest = rest.length === 0 ? Buffer.from(piece) : Buffer.concat([rest, piece]);
    for (let object = firstOf(rest); object; object = firstOf(rest)) {
      rest = rest.subarray(object.end);
      yield { id: object.id, content: object.content };
    }
  }
}

function firstOf(bytes: Buffer): { id: string; content: Buffer | undefined; end: number } | undefined {
  const line = bytes.indexOf(newline);
  if (line < 0) return undefined;
  const [id = '', type, size] = bytes.toString('latin1', 0, line).split(' ');
  if (type !== 'blob') return { id, content: undefined, end: line + 1 };
  const end = line + 1 + Number(size) + 1;
  return end > bytes.length ? undefined : { id, content: bytes.subarray(line + 1, end - 1), end };
}

function textOf(bytes: Buffer): string | undefined {
  if (bytes.includes(0) || !isUtf8(bytes)) return undefined;
  const hasMark = bytes.toString('hex', 0, 3) === 'efbbbf';
  return bytes.toString('utf8', hasMark ? 3 : 0);
}
