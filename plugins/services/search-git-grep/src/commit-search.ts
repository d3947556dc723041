import type { FoundFile } from '@sextant/contracts';
import type { MatchThread } from './match-threads.ts';
import type { FileQuery, FileSearch, FileToMatch, MatchedFile, PathVerdict } from './matching/protocol.ts';
import { fileQuery } from './query/file-query.ts';
import type { Target } from './query/targets.ts';
import type { Blobs } from './repository/blobs.ts';
import { grep, requiredTexts } from './repository/candidates.ts';
import type { TreeFile, Trees } from './repository/tree.ts';

export interface CommitSearch {
  readonly thread: MatchThread;
  readonly search: Omit<FileSearch, 'query'>;
  readonly trees: Trees;
  readonly blobs: Blobs;
  readonly maxFileBytes: number;
  /** Less text than this is read without asking git which files it needs. */
  readonly grepFromBytes: number;
  /** Whether paths alone are looked at. */
  readonly signal: AbortSignal;
}

export interface RatedFile {
  readonly file: FoundFile;
  readonly score: number;
}

/** Files and bytes that go to the thread at once. */
const mostFiles = 512;
const mostBytes = 4 << 20;

/** The files of one commit that are results, some at a time. */
export async function* searchCommit(target: Target, context: CommitSearch): AsyncGenerator<RatedFile[], void, void> {
  const { repository, commit, revision } = target;
  const all = await context.trees.files(repository, commit, context.signal);
  const asked = await context.thread.paths(
    fileQuery(target.query),
    all.map(({ path }) => path),
  );
  const candidates = await candidatesOf(target, { all, verdicts: asked.verdicts }, context);
  for await (const matched of matchedFiles(target, { candidates, query: asked.query }, context))
    yield matched.map(({ score, ...file }) => ({
      score,
      file: { repo: repository.name, commit, ...(revision !== undefined && { revision }), ...file },
    }));
}

async function candidatesOf(
  { repository, commit, query }: Target,
  { all, verdicts }: { all: readonly TreeFile[]; verdicts: readonly PathVerdict[] },
  { search, grepFromBytes, signal }: CommitSearch,
): Promise<readonly TreeFile[]> {
  if (search.wantsPathsOnly) return all.filter((_, index) => verdicts[index]?.isFound);
  const possible = all.filter((_, index) => verdicts[index]?.isPossible);
  const texts = requiredTexts(query);
  if (!texts || possible.reduce((sum, { bytes }) => sum + bytes, 0) < grepFromBytes) return possible;
  const proposed = await grep(repository, { commit, texts, signal });
  // Git looks only at content: a path that has a text is enough.
  return all.filter(
    ({ path }, index) => verdicts[index]?.isPossible && (verdicts[index].hasText || proposed.has(path)),
  );
}

async function* matchedFiles(
  { repository }: Target,
  { candidates, query }: { candidates: readonly TreeFile[]; query: FileQuery },
  { thread, search, blobs, maxFileBytes, signal }: CommitSearch,
): AsyncGenerator<readonly MatchedFile[], void, void> {
  const limit = search.wantsPathsOnly ? -1 : maxFileBytes;
  let batch: FileToMatch[] = [];
  let size = 0;
  for await (const file of withContent(candidates, limit, (ids) => blobs.read(repository, ids, signal))) {
    batch.push(file);
    size += file.bytes?.length ?? 0;
    if (batch.length < mostFiles && size < mostBytes) continue;
    yield await thread.files({ ...search, query }, batch);
    [batch, size] = [[], 0];
  }
  if (batch.length > 0) yield await thread.files({ ...search, query }, batch);
}

/** The files, with the bytes of those that are no larger than the limit. */
async function* withContent(
  candidates: readonly TreeFile[],
  limit: number,
  read: (ids: readonly string[]) => AsyncGenerator<Uint8Array | undefined, void, void>,
): AsyncGenerator<FileToMatch, void, void> {
  const blobOf = ({ blob, bytes }: TreeFile): string | undefined => (bytes <= limit ? blob : undefined);
  const contents = read(candidates.flatMap((file) => blobOf(file) ?? []));
  try {
    for (const file of candidates) {
      const bytes = blobOf(file) === undefined ? undefined : (await contents.next()).value;
      yield { path: file.path, ...(bytes && { bytes }) };
    }
  } finally {
    await contents.return();
  }
}
