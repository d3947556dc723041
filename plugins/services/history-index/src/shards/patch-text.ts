import { HunkLines } from '../git/hunk-lines.ts';
import { textOf } from '../git/text.ts';
import type { HunkSink } from '../git/type-change.ts';

const newline = 10;
const [backslash, equals] = [92, 61];

/** The line before the hunks of a file: its number among the changed paths of the commit. */
export const fileLine = (path: number): Uint8Array => Buffer.from(`=${path}\n`);

export interface ReplayedPaths {
  /** Changed paths of the commit. */
  readonly paths: readonly string[];
  /** Whether the hunks of a path, by its number among them, are to be shown. */
  readonly isWanted: (path: number) => boolean;
}

/** Shows a sink the hunks that were kept of a commit, as git printed them. */
export function replay(patch: Buffer, { paths, isWanted }: ReplayedPaths, sink: HunkSink): void {
  const hunk = new HunkLines();
  let path: string | undefined;
  for (let at = 0; at < patch.length; ) {
    const end = patch.indexOf(newline, at);
    const line = patch.subarray(at, end);
    at = end + 1;
    if (!hunk.isOpen && line[0] === equals) {
      const number = Number(textOf(line.subarray(1)));
      path = isWanted(number) ? paths[number] : undefined;
    } else if (hunk.isOpen || line[0] === backslash) {
      hunk.count(line);
      if (path !== undefined) sink.line(line);
    } else {
      const header = textOf(line);
      hunk.begin(header);
      if (path !== undefined) sink.hunk(path, header);
    }
  }
}
