import { cut } from '@sextant/core';
import type { Chunk, SymbolFile, SymbolPlace } from '@sextant/contracts';
import { shownLimits } from '../limits.ts';
import type { CommitFile } from '../snapshot/source-file.ts';

/** A place with the lines that belong to it. */
export interface ShownPlace extends CommitFile {
  readonly place: SymbolPlace;
  readonly startLine: number;
  readonly endLine: number;
}

export const placeOf = ({ line, kind, container }: SymbolPlace): SymbolPlace => ({
  line,
  kind,
  ...(container !== undefined && { container }),
});

/** Two lines before a definition and up to 50 of it. */
export const definitionShown = (
  { snapshot, path }: CommitFile,
  definition: SymbolPlace & { readonly startLine: number; readonly endLine: number },
): ShownPlace => ({
  snapshot,
  path,
  place: placeOf(definition),
  startLine: definition.startLine - shownLimits.beforeDefinition,
  endLine: Math.min(definition.endLine, definition.startLine + shownLimits.definition - 1),
});

/** Four lines before a use and two after it. */
export const useShown = ({ snapshot, path }: CommitFile, line: number, kind: string): ShownPlace => ({
  snapshot,
  path,
  place: { line, kind },
  startLine: line - shownLimits.beforeUse,
  endLine: line + shownLimits.afterUse,
});

/** Files with the lines of their places, in the order of the first place of each. Files that cannot be read are left out. */
export async function symbolFiles(shown: readonly ShownPlace[]): Promise<SymbolFile[]> {
  const byFile = Map.groupBy(shown, ({ snapshot, path }) => `${snapshot.repo}\0${path}`);
  return (await Promise.all([...byFile.values()].map(fileWith))).flat();
}

/** One file. Ranges that touch are one chunk. */
async function fileWith(shown: readonly ShownPlace[]): Promise<SymbolFile[]> {
  const [{ snapshot, path } = {}] = shown;
  const text = path === undefined ? undefined : await snapshot?.read(path);
  if (!snapshot || path === undefined || text === undefined) return [];
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
  return {
    startLine,
    endLine,
    lines: lines.slice(startLine - 1, endLine).map((line) => cut(line, shownLimits.lineLength)),
  };
}
