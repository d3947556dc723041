import type { FoundFile, SymbolFile } from '@sextant/contracts';
import { byText } from '../limits.ts';
import type { Candidates } from '../candidates/candidates.ts';
import type { SourceFile } from '../snapshot/source-file.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

/** Where lines are looked for. */
export interface Place {
  readonly snapshot: Snapshot;
  readonly candidates: Candidates;
}

/** Every line of the repository with a word. */
export async function linesWith(
  { snapshot, candidates }: Place,
  symbol: string,
  limit: number,
): Promise<{ files: SymbolFile[]; totalCount: number; limitHit: boolean }> {
  const { files, matchCount, limitHit } = await candidates.text.lines(snapshot, symbol, { limit, isNamed: false });
  const inOrder = files.map((file) => ({ ...file, chunks: file.chunks.toSorted((a, b) => a.startLine - b.startLine) }));
  return { files: textMatches(inOrder, snapshot), totalCount: matchCount, limitHit };
}

/** Lines with a name whose definition the syntax does not tell. Lines that look like a definition come first. */
export async function likelyDefinitions(
  { snapshot, candidates, file }: Place & { readonly file: SourceFile | undefined },
  symbol: string,
): Promise<SymbolFile[]> {
  // If a grammar knows the file, the definition is elsewhere, and names of files are no hint.
  const isNamed = file === undefined;
  const { files } = await candidates.text.lines(snapshot, symbol, { limit: byText.files, isNamed });
  return textMatches(files, snapshot);
}

/** A few lines with a name, those of one file first. */
export async function outsideUses(
  { snapshot, candidates }: Place,
  path: string,
  symbol: string,
): Promise<SymbolFile[]> {
  const { files } = await candidates.text.lines(snapshot, symbol, { limit: byText.files, isNamed: false });
  const shown: SymbolFile[] = [];
  let left = byText.outsideUses;
  for (const file of files.toSorted((a, b) => Number(b.path === path) - Number(a.path === path))) {
    const chunks = file.chunks.slice(0, left);
    left -= chunks.length;
    if (chunks.length > 0) shown.push(...textMatches([{ ...file, chunks }], snapshot));
  }
  return shown;
}

const textMatches = (files: readonly FoundFile[], { repo, revision }: Snapshot): SymbolFile[] =>
  files.map(({ path, chunks }) => ({
    repo,
    path,
    ...(revision !== undefined && { revision }),
    chunks,
    places: [],
  }));
