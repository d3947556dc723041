import type { SymbolFile, SymbolRequest, Symbols } from '@sextant/contracts';
import type { FoundPlace } from '@sextant/contracts/nodes';
import { isSextantError } from '@sextant/core';
import type { Snapshot } from './localiser.ts';
import type { Vocabulary } from '../ranking/vocabulary.ts';
import type { RankedFile } from '../threads/research-steps.ts';
import type { Work } from '../work.ts';

const mostNames = 3;
const mostReferences = 10;
const mostFollowed = 3;
/** A name that more of the files looked at have leads everywhere, and takes long to be followed there. */
const mostUsers = 12;

/** Files, the likeliest first, and the names of the task, in the order in which files have them. */
export interface Followable {
  readonly files: readonly Pick<RankedFile, 'path' | 'scan'>[];
  readonly vocabulary: Pick<Vocabulary, 'names'>;
}

/** A name of the task, and the file from which it is followed. */
interface Followed {
  readonly name: string;
  readonly path: string;
  readonly isDefined: boolean;
}

/**
 * One hop from the names of a task: from a file that defines one to those that use it, from one that only uses it to its
 * definition. Files that were found already are left out.
 */
export async function followNames(
  symbols: Pick<Symbols, 'findReferences' | 'findDefinition'>,
  {
    snapshot,
    ranking,
    known,
    work,
  }: { snapshot: Snapshot; ranking: Followable; known: ReadonlySet<string>; work: Work },
): Promise<FoundPlace[]> {
  const places = new Map<string, FoundPlace>();
  const starts = startsOf(ranking);
  const answers = await Promise.all(starts.map((followed) => reached(symbols, { snapshot, followed, work })));
  for (const [index, followed] of starts.entries()) {
    for (const file of answers[index] ?? [])
      if (file.repo === snapshot.repo && !known.has(file.path) && !places.has(file.path) && places.size < mostFollowed)
        places.set(file.path, placeOf(file, { snapshot, followed }));
  }
  return [...places.values()];
}

/** Each name from the best file that defines it, else from the best that uses it. */
function startsOf({ files, vocabulary }: Followable): Followed[] {
  const best = (
    name: number,
    has: (use: { uses: number; definition: number }) => boolean,
  ): Followable['files'][number] | undefined => files.find(({ scan }) => scan?.names[name] && has(scan.names[name]));
  const users = (name: number): number => files.filter(({ scan }) => (scan?.names[name]?.uses ?? 0) > 0).length;
  return vocabulary.names.slice(0, mostNames).flatMap((name, number) => {
    if (users(number) > mostUsers) return [];
    const defining = best(number, ({ definition }) => definition > 0);
    const start = defining ?? best(number, ({ uses }) => uses > 0);
    return start ? [{ name, path: start.path, isDefined: defining !== undefined }] : [];
  });
}

async function reached(
  symbols: Pick<Symbols, 'findReferences' | 'findDefinition'>,
  { snapshot: { caller, repo, commit }, followed, work }: { snapshot: Snapshot; followed: Followed; work: Work },
): Promise<readonly SymbolFile[]> {
  const request: SymbolRequest = { repo, path: followed.path, symbol: followed.name, revision: commit };
  try {
    const answer = await work.call((signal) =>
      followed.isDefined
        ? symbols.findReferences(caller, { ...request, limit: mostReferences }, signal)
        : symbols.findDefinition(caller, request, signal),
    );
    return answer?.files ?? [];
  } catch (error) {
    // The name stands in a comment, or its file cannot be parsed: there is nowhere to go.
    if (isSextantError(error) && error.code !== 'canceled') return [];
    throw error;
  }
}

function placeOf(file: SymbolFile, { snapshot, followed }: { snapshot: Snapshot; followed: Followed }): FoundPlace {
  const { repo, revision, commit } = snapshot;
  const [chunk] = file.chunks;
  const startLine = chunk?.startLine ?? 1;
  const reason = followed.isDefined
    ? `uses ${followed.name}, which ${followed.path} defines`
    : `defines ${followed.name}`;
  return {
    repo,
    path: file.path,
    commit,
    ...(revision !== undefined && { revision }),
    startLine,
    endLine: chunk?.endLine ?? startLine,
    reason,
    score: 0,
    lines: chunk?.lines ?? [],
    best: file.places.slice(0, 1).map(({ line }) => line),
  };
}
