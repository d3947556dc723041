import { Turn } from '@sextant/core';
import type { LoadedPaths } from '../shards/loaded-shard.ts';
import { basesOf, sharedNumbers } from './laid-files.ts';
import type { SnapshotFiles } from './laid-files.ts';
import type { ShardSlice, SnapshotHandle } from './snapshot.ts';

const lineEnd = 10;
const linesPerTurn = 10_000;
let lastId = 0;

/** What threads are told of the files of a commit. */
export async function makeView(files: SnapshotFiles, paths: LoadedPaths): Promise<SnapshotHandle> {
  const { documents, parts, text, odd, classes } = files;
  const bases = [...basesOf(parts)];
  const total = parts.reduce((sum, { loaded }) => sum + loaded.documents, 0);
  lastId += 1;
  return {
    id: lastId,
    files: documents.length,
    paths,
    pathStarts: await startsIn(text, documents.length),
    oddPaths: odd,
    classes,
    documents,
    ...filesByDocument(documents, total),
    slices: bases.map(([{ loaded, name }, base]): ShardSlice => ({ ...loaded, name, base })),
  };
}

/** Where each line begins, and where the last one ends. */
export async function startsIn(text: Uint8Array, lines: number): Promise<Uint32Array> {
  const turn = new Turn();
  const starts = sharedNumbers.unsigned(lines + 1);
  for (let line = 0; line < lines; line += 1) {
    if (line % linesPerTurn === 0) await turn.share();
    starts[line + 1] = text.indexOf(lineEnd, starts[line]) + 1;
  }
  return starts;
}

function filesByDocument(documents: Int32Array, total: number): Pick<SnapshotHandle, 'fileStarts' | 'filesOf'> {
  const fileStarts = sharedNumbers.unsigned(total + 1);
  for (const document of documents) if (document >= 0) fileStarts[document + 1] = (fileStarts[document + 1] ?? 0) + 1;
  for (let i = 1; i <= total; i += 1) fileStarts[i] = (fileStarts[i] ?? 0) + (fileStarts[i - 1] ?? 0);
  const next = fileStarts.slice();
  const filesOf = sharedNumbers.unsigned(fileStarts[total] ?? 0);
  for (const [file, document] of documents.entries()) {
    if (document < 0) continue;
    const at = next[document] ?? 0;
    filesOf[at] = file;
    next[document] = at + 1;
  }
  return { fileStarts, filesOf };
}
