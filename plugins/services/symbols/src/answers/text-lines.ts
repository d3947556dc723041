import type { FoundFile, SymbolFile } from '@sextant/contracts';
import type { Candidates } from '../candidates/candidates.ts';
import type { SourceFile, Target } from '../snapshot/source-file.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

/** Most files that are searched for likely definitions or uses. */
const mostLikely = 10;
/** Most shown uses of a name that is defined outside of all repositories. */
const mostOutside = 3;

interface Place {
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
  const { files } = await candidates.text.lines(snapshot, symbol, { limit: mostLikely, isNamed });
  return textMatches(files, snapshot);
}

/** A few lines with a name, those of one file first. */
export async function outsideUses(
  { snapshot, candidates }: Place,
  path: string,
  symbol: string,
): Promise<SymbolFile[]> {
  const { files } = await candidates.text.lines(snapshot, symbol, { limit: mostLikely, isNamed: false });
  const shown: SymbolFile[] = [];
  let left = mostOutside;
  for (const file of files.toSorted((a, b) => Number(b.path === path) - Number(a.path === path))) {
    const chunks = file.chunks.slice(0, left);
    left -= chunks.length;
    if (chunks.length > 0) shown.push(...textMatches([{ ...file, chunks }], snapshot));
  }
  return shown;
}

/**
 * A note for a name without uses: how many other lines of the repository have it. Undefined if there are none, and for a local name, which
 * other lines cannot mean.
 */
export async function otherLines(
  { snapshot, candidates }: Place,
  targets: readonly Target[],
): Promise<string | undefined> {
  const [target] = targets;
  if (!target || targets.every(({ definition: { scope } }) => scope)) return undefined;
  const { name } = target.definition;
  const { matchCount, limitHit } = await candidates.text.lines(snapshot, name, { limit: mostLikely, isNamed: false });
  const own = targets.filter((one) => one.snapshot.repo === snapshot.repo && one.definition.name === name);
  const count = matchCount - new Set(own.map(({ path, definition: { line } }) => `${path}\0${line}`)).size;
  if (count <= 0) return undefined;
  const least = limitHit ? 'At least ' : '';
  return count === 1
    ? `${least}1 other line of the repository also has this name, but could not be resolved to it; keyword_search finds it.`
    : `${least}${count} other lines of the repository also have this name, but could not be resolved to it; keyword_search finds them.`;
}

const textMatches = (files: readonly FoundFile[], { repo, revision }: Snapshot): SymbolFile[] =>
  files.map(({ path, chunks }) => ({
    repo,
    path,
    ...(revision !== undefined && { revision }),
    chunks,
    places: [],
  }));
