import { createReadStream } from 'node:fs';

const megabyte = 1_000_000;
/** Steps in which a large file is told of. */
const steps = 10;
/** What is smaller is read before anyone has read a line of it. */
const leastBytes = 20 * megabyte;

/** A file in pieces, with a line for each tenth of a large one. */
export async function* readWithProgress(
  { file, size }: { file: string; size: number },
  showProgress: (line: string) => void,
): AsyncGenerator<Uint8Array, void, void> {
  let done = 0;
  let shown = 0;
  for await (const piece of createReadStream(file)) {
    done += piece.length;
    const step = Math.floor((steps * done) / size);
    if (size >= leastBytes && step > shown)
      showProgress(`${Math.round(done / megabyte)} of ${Math.round(size / megabyte)} MB read`);
    shown = step;
    yield piece;
  }
  showProgress('the index is checked and stored');
}
