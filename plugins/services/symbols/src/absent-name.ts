import type { Language } from '@sextant/contracts';
import { SextantError, didYouMean, oneLine } from '@sextant/core';
import type { Candidate, Candidates } from './candidates.ts';
import type { Snapshot } from './snapshot.ts';

export interface AbsentName {
  readonly symbol: string;
  readonly path: string;
  /** Those that the file has. */
  readonly names: readonly string[];
}

/** Files that may define it are looked at, those that lie nearest; as many are named at most. */
const filesLookedAt = 3;

/** Says that a file lacks a name: which files of its repository define it, or else which of its own names are like it. */
export function absentName({ symbol, path, names }: AbsentName, definedIn: readonly string[] = []): SextantError {
  const files = new Intl.ListFormat('en').format(definedIn);
  const hint = files === '' ? didYouMean(symbol, [...new Set(names)]) : ` It is defined in ${files}.`;
  return new SextantError('not_found', oneLine(`${path} has no symbol "${symbol}".${hint}`));
}

/** Files of the repository that define a name outside of functions, those that lie nearest to a path. */
export async function filesDefining(
  candidates: Candidates,
  { snapshot, path, symbol, language }: { snapshot: Snapshot; path: string; symbol: string; language: Language },
): Promise<string[]> {
  const where = { name: symbol, role: 'definition', language, limit: filesLookedAt } as const;
  const { files } = await candidates.inSnapshot(snapshot, path, where);
  const isDefined = await Promise.all(files.map((file) => defines(file, symbol)));
  return files.filter((_, index) => isDefined[index]).map((file) => file.path);
}

async function defines({ snapshot, path }: Candidate, symbol: string): Promise<boolean> {
  const symbols = await snapshot.symbols(path);
  return symbols?.definitionsOf(symbol).some(({ scope }) => scope === undefined) ?? false;
}
