import { open } from 'node:fs/promises';
import { SextantError, unlessAborted } from '@sextant/core';

interface SpoolTarget {
  readonly path: string;
  readonly maxBytes: number;
}

/** Writes what comes to a new file. Throws `too_large`, `invalid_argument` for nothing, and at once when the signal aborts. */
export async function spool(
  content: AsyncIterable<Uint8Array>,
  { path, maxBytes }: SpoolTarget,
  signal: AbortSignal,
): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  const pieces = content[Symbol.asyncIterator]();
  let total = 0;
  try {
    for (;;) {
      const { value, done } = await unlessAborted(pieces.next(), signal);
      if (done) break;
      total += value.length;
      if (total > maxBytes)
        throw new SextantError('too_large', `the upload has more than ${maxBytes} bytes, the most that are taken`);
      await file.appendFile(value);
    }
  } finally {
    // Whoever sends nothing more would not let the iterator end either.
    pieces.return?.().catch(() => undefined);
    await file.close();
  }
  if (total === 0) throw new SextantError('invalid_argument', 'the upload is empty: send a SCIP index as the body');
}
