import type { CommitRecord } from '../git/commit-record.ts';
import { HunkLines } from '../git/hunk-lines.ts';
import { textOf } from '../git/text.ts';
import type { HunkSink } from '../git/type-change.ts';

/** Everything that a shard keeps of a commit. */
export interface IndexedCommit {
  readonly record: CommitRecord;
  /** Whether the changes are not kept, because git failed to read them or they are too large. Git answers for them later. */
  readonly isUnread: boolean;
  /** Whether git cannot compare the commit within its time limit. Then nobody answers for its changes. */
  readonly isBeyondLimits: boolean;
  /** Changed paths, in git's order. */
  readonly paths: readonly string[];
  readonly texts: readonly ChangedText[];
  /** The hunks of each file, as git printed them, below a `fileLine`. */
  readonly patch: Uint8Array;
}

/** The added or the removed lines of one file, in UTF-8. Each line has its line end. */
export interface ChangedText {
  /** Index in `paths`. */
  readonly path: number;
  readonly isAdded: boolean;
  readonly text: Uint8Array;
}

const newline = 10;
const [backslash, equals] = [92, 61];

/** The line before the hunks of a file. `path` is its index among the changed paths of the commit. */
export const fileLine = (path: number): Uint8Array => Buffer.from(`=${path}\n`);

export interface ReplayedPaths {
  /** Changed paths of the commit. */
  readonly paths: readonly string[];
  /** Whether to show the hunks of the path with this index. */
  readonly isWanted: (path: number) => boolean;
}

/** Shows the stored hunks of a commit to a sink, as the parser of git's output does. */
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
