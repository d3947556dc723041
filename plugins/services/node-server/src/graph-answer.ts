import type { CommitColumns } from '@sextant/contracts';

interface GraphAnswer {
  readonly hashBytes: number;
  readonly commits: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The columns behind each other, as `store.graph` of the protocol has them. */
export function graphAnswer({ hashBytes, hashes, times, parentStarts, parents }: CommitColumns): GraphAnswer {
  const columns = [hashes, times, parentStarts, parents];
  const bytes = new Uint8Array(columns.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let end = 0;
  for (const { buffer, byteOffset, byteLength } of columns) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), end);
    end += byteLength;
  }
  return { hashBytes, commits: times.length, bytes };
}
