import { tooLarge } from './laid-files.ts';
import type { SnapshotFiles } from './laid-files.ts';
import type { SnapshotHandle } from './snapshot.ts';

/** A file that is found by its name only. */
export interface UnsearchedFile {
  readonly path: string;
  /** Else it is no text. */
  readonly isTooLarge: boolean;
}

/** Remembered of one commit, for hints: these are objects, of which a repository of few kilobytes can make millions. */
const mostRemembered = 20_000;

const decoder = new TextDecoder();

/** The files of a commit whose text is in no shard, the first of them where they are very many. */
export function namedOnlyIn({ documents, text, odd }: SnapshotFiles, { pathStarts }: SnapshotHandle): UnsearchedFile[] {
  const found: UnsearchedFile[] = [];
  // Without an object for each file: every start of the server does this for all of them.
  for (let file = 0; file < documents.length && found.length < mostRemembered; file += 1) {
    const document = documents[file] ?? 0;
    if (document >= 0) continue;
    const line = text.subarray(pathStarts[file], (pathStarts[file + 1] ?? 0) - 1);
    found.push({ path: odd.get(file) ?? decoder.decode(line), isTooLarge: document === tooLarge });
  }
  return found;
}
