import { cut } from '@sextant/core';
import type { Chunk, SymbolFile, SymbolPlace } from '@sextant/contracts';
import type { FoundUses } from '../resolution/reference-finder.ts';
import type { Target } from '../snapshot/source-file.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

/** Lines before a definition, most lines of it, lines around a use, and most characters of a line. */
const beforeDefinition = 2;
const linesOfDefinition = 50;
const beforeUse = 4;
const afterUse = 2;
const longestLine = 256;

/** A place with the lines that belong to it. */
export interface ShownPlace {
  readonly place: SymbolPlace;
  readonly startLine: number;
  readonly endLine: number;
}

/** Two lines before a definition and up to 50 of it. */
export const definitionShown = (
  place: SymbolPlace,
  { startLine, endLine }: { startLine: number; endLine: number },
): ShownPlace => ({
  place,
  startLine: startLine - beforeDefinition,
  endLine: Math.min(endLine, startLine + linesOfDefinition - 1),
});

/** Four lines before a use and two after it. */
export const useShown = (place: SymbolPlace): ShownPlace => ({
  place,
  startLine: place.line - beforeUse,
  endLine: place.line + afterUse,
});

/** One file with the lines of its places. Ranges that touch are one chunk. Empty if the file cannot be read. */
export async function symbolFile(
  snapshot: Snapshot,
  path: string,
  shown: readonly ShownPlace[],
): Promise<SymbolFile[]> {
  const text = await snapshot.read(path);
  if (text === undefined) return [];
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1) === '') lines.pop();
  const { repo, revision } = snapshot;
  const file = {
    repo,
    path,
    ...(revision !== undefined && { revision }),
    chunks: merged(shown).map(({ startLine, endLine }) => chunkOf(lines, startLine, endLine)),
    places: shown.map(({ place }) => place),
  };
  return [file];
}

function merged(shown: readonly ShownPlace[]): { startLine: number; endLine: number }[] {
  const spans: { startLine: number; endLine: number }[] = [];
  for (const { startLine, endLine } of shown.toSorted((a, b) => a.startLine - b.startLine)) {
    const last = spans.at(-1);
    if (last && startLine <= last.endLine + 1) last.endLine = Math.max(last.endLine, endLine);
    else spans.push({ startLine, endLine });
  }
  return spans;
}

function chunkOf(lines: readonly string[], from: number, to: number): Chunk {
  const startLine = Math.max(1, from);
  const endLine = Math.min(lines.length, to);
  return { startLine, endLine, lines: lines.slice(startLine - 1, endLine).map((line) => cut(line, longestLine)) };
}

/** The files of definitions, in the order of the first definition of each. */
export async function definitionFiles(targets: readonly Target[]): Promise<SymbolFile[]> {
  const byFile = Map.groupBy(targets, ({ snapshot, path }) => `${snapshot.repo}\0${path}`);
  const files = await Promise.all(
    [...byFile.values()].flatMap((group) => {
      const [first] = group;
      if (!first) return [];
      const shown = group.map(({ definition }) => {
        const { line, kind, container } = definition;
        return definitionShown({ line, kind, ...(container !== undefined && { container }) }, definition);
      });
      return [symbolFile(first.snapshot, first.path, shown)];
    }),
  );
  return files.flat();
}

/** The files of at most `limit` uses. */
export async function useFiles(files: readonly FoundUses[], limit: number): Promise<SymbolFile[]> {
  let left = limit;
  const shown: Promise<SymbolFile[]>[] = [];
  for (const { file, uses } of files) {
    if (left === 0) break;
    const some = uses.slice(0, left).map(({ line, role }) => useShown({ line, kind: role }));
    left -= some.length;
    shown.push(symbolFile(file.snapshot, file.path, some));
  }
  return (await Promise.all(shown)).flat();
}
