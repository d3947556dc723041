import { HunkLines } from '../git/hunk-lines.ts';
import type { PatchSink } from '../git/patch-parser.ts';
import { textOf } from '../git/text.ts';

const newline = 10;
const [backslash, equals] = [92, 61];

/** The line before the hunks of a file: its number among the changed paths of the commit. */
export const fileLine = (path: number): Uint8Array => Buffer.from(`=${path}\n`);

/** Shows a sink the hunks that were kept of a commit, as git printed them. */
export function replay(patch: Buffer, paths: readonly string[], sink: Pick<PatchSink, 'hunk' | 'line'>): void {
  const hunk = new HunkLines();
  let path = '';
  for (let at = 0; at < patch.length; ) {
    const end = patch.indexOf(newline, at);
    const line = patch.subarray(at, end);
    at = end + 1;
    if (hunk.isOpen) {
      hunk.count(line);
      sink.line(line);
    } else if (line[0] === backslash) sink.line(line);
    else if (line[0] === equals) path = paths[Number(textOf(line.subarray(1)))] ?? '';
    else {
      const header = textOf(line);
      hunk.begin(header);
      sink.hunk(path, header);
    }
  }
}
