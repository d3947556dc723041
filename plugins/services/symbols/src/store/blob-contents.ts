import { isUtf8 } from 'node:buffer';
import { text } from 'node:stream/consumers';
import type { StoreCommand, StoredRepository } from '@sextant/contracts';

interface BlobContent {
  readonly id: string;
  /** Undefined for what is binary, in another encoding than UTF-8, or not there. */
  readonly text: string | undefined;
}

const newline = 10;
/** For a whole batch. */
const gitSeconds = 3600;
/** Longer blobs are not read. A few kilobytes of git objects can be gigabytes of content. */
const mostBytes = 4 << 20;

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
  const command = { seconds: gitSeconds, maxBytes: Infinity, ...options };
  const short = await shortOf(repository, ids, command);
  if (short.length === 0) return;
  const input = linesOf(short);
  let rest: Buffer = Buffer.alloc(0);
  const args = ['cat-file', '--batch', '--buffer'];
  for await (const piece of repository.stream({ args, input, ...command })) {
    rest = rest.length === 0 ? Buffer.from(piece) : Buffer.concat([rest, piece]);
    for (let object = firstOf(rest); object; object = firstOf(rest)) {
      rest = rest.subarray(object.end);
      yield { id: object.id, content: object.content };
    }
  }
}

/** Those that are not too long, or not there. */
async function shortOf(
  repository: StoredRepository,
  ids: readonly string[],
  command: Omit<StoreCommand, 'args' | 'input'>,
): Promise<string[]> {
  const args = ['cat-file', '--batch-check=%(objectsize)', '--buffer'];
  const sizes = (await text(repository.stream({ args, input: linesOf(ids), ...command }))).split('\n');
  // A missing one has no number.
  return ids.filter((_, at) => !(Number(sizes[at]) > mostBytes));
}

const linesOf = (ids: readonly string[]): Uint8Array[] => [Buffer.from(ids.map((id) => `${id}\n`).join(''))];

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
