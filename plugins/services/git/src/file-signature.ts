import { statSync } from 'node:fs';

/**
 * A file that was written this shortly before we looked could be written again within the same tick of the file
 * system's clock, unseen. What was read then is not remembered.
 */
const racyMs = 1100;

/** What the files say in which refs are kept. While it stays the same, the refs mean what they meant. */
export interface Signature {
  readonly text: string;
  /** Whether it can be trusted to change with the refs. */
  readonly isSettled: boolean;
}

/** The state of files, at the cost of one `stat` each. */
export function signatureOf(files: readonly string[]): Signature {
  let text = '';
  let newest = 0n;
  for (const file of files) {
    const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
    text += stat ? `${stat.ino}.${stat.size}.${stat.mtimeNs}.${stat.ctimeNs};` : '-;';
    if (stat && stat.ctimeNs > newest) newest = stat.ctimeNs;
  }
  return { text, isSettled: Number(newest / 1_000_000n) + racyMs < Date.now() };
}
