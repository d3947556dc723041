import type { CommitRecord } from '../git/commit-record.ts';
import type { ChangedText, IndexedCommit } from './indexed-commit.ts';
import type { CommitShardReader } from './commit-shard-reader.ts';

/** A commit without its changes; its author's mapping is that of whoever asks. */
export function recordOfShard(reader: CommitShardReader, commit: number): CommitRecord {
  const { authors, people, times, messageStarts } = reader.tables;
  const author = people[authors[commit] ?? 0] ?? { name: '', email: '' };
  const [start, end] = [messageStarts[commit] ?? 0, messageStarts[commit + 1] ?? 0];
  // Without the line end that every message has here.
  const message = reader.read('messages-text', start, Math.max(0, end - start - 1)).toString();
  const [hash, parents, time] = [reader.hash(commit), reader.parents(commit), times[commit] ?? 0];
  return { hash, author, mapped: author, time, parents, message };
}

/** A commit as it was given to the writer of the shard. */
export function commitOfShard(reader: CommitShardReader, commit: number): IndexedCommit {
  return {
    record: recordOfShard(reader, commit),
    isUnread: reader.tables.isUnread[commit] !== 0,
    isBeyondLimits: reader.tables.isUnread[commit] === 2,
    paths: reader.paths(commit),
    texts: textsOf(reader, commit),
    patch: reader.patch(commit),
  };
}

function textsOf(reader: CommitShardReader, commit: number): ChangedText[] {
  const { textCommit, textFile, textStarts, fileStarts, files } = reader.tables;
  const paths = files.subarray(fileStarts[commit], fileStarts[commit + 1]);
  const texts: ChangedText[] = [];
  for (let text = firstAt(textCommit, commit); textCommit[text] === commit; text++) {
    const [start, end] = [textStarts[text] ?? 0, textStarts[text + 1] ?? 0];
    const file = textFile[text] ?? 0;
    texts.push({
      path: paths.indexOf(file >>> 1),
      isAdded: (file & 1) === 1,
      text: reader.read('lines-text', start, end - start),
    });
  }
  return texts;
}

/** The first place of an ascending list that has at least this value. */
function firstAt(values: Uint32Array, value: number): number {
  let low = 0;
  for (let high = values.length; low < high; ) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
