import type { PrecisePlace, PreciseUses, SymbolFile, SymbolRequest } from '@sextant/contracts';
import type { FileSymbols } from '../parse/file-symbols.ts';
import type { FoundUses } from '../resolution/reference-finder.ts';
import type { CommitFile, Target } from '../snapshot/source-file.ts';
import type { Snapshot, Snapshots } from '../snapshot/snapshot.ts';
import { definitionShown, symbolFiles, useShown } from './symbol-file.ts';
import type { ShownPlace } from './symbol-file.ts';

export interface PreciseCall {
  readonly snapshot: Snapshot;
  readonly snapshots: Snapshots;
  /** The name that was asked for. */
  readonly symbol: string;
}

type Show = (file: CommitFile, line: number, symbols: FileSymbols | undefined) => ShownPlace;

/** Shows definitions of an index. Their kind and last line come from the syntax. */
export const preciseDefinitions = (call: PreciseCall, places: readonly PrecisePlace[]): Promise<SymbolFile[]> =>
  filesOf(call, places, (file, line, symbols) => {
    const there = symbols?.definitions.filter((definition) => definition.line === line) ?? [];
    const definition = there.find(({ name }) => name === call.symbol) ?? there[0];
    return definitionShown(file, definition ?? { line, kind: 'definition', startLine: line, endLine: line });
  });

/** Shows uses of an index. Their role comes from the syntax of the line. */
export const preciseUses = (call: PreciseCall, places: readonly PrecisePlace[]): Promise<SymbolFile[]> =>
  filesOf(call, places, (file, line, symbols) => {
    const there = symbols?.usesOf(call.symbol).find((use) => use.line === line);
    return useShown(file, line, there?.role ?? 'other');
  });

/** Files with the shown places. Those that the commit does not have are left out, because the index is wrong about them. */
async function filesOf(call: PreciseCall, places: readonly PrecisePlace[], show: Show): Promise<SymbolFile[]> {
  const byFile = Map.groupBy(places, ({ repo, path }) => `${repo}\0${path}`);
  const shown = await Promise.all(
    [...byFile.values()].map(async (group) => {
      const [{ repo, path } = { repo: '', path: '' }] = group;
      const snapshot = await snapshotOf(call, repo);
      if (!snapshot) return [];
      const lines = (await snapshot.read(path))?.split(/\r\n|\n|\r/).length ?? 0;
      const symbols = await snapshot.symbols(path);
      return group.filter(({ line }) => line <= lines).map(({ line }) => show({ snapshot, path }, line, symbols));
    }),
  );
  return symbolFiles(shown.flat());
}

const snapshotOf = ({ snapshot, snapshots }: PreciseCall, repo: string): Promise<Snapshot | undefined> =>
  repo === snapshot.repo ? Promise.resolve(snapshot) : snapshots.openOther(repo);

/**
 * Definitions found by syntax whose uses complete those of an index: definitions that the index names too, and definitions in lines
 * that it has not seen. Undefined if everything that the index names has changed since.
 */
export async function targetsBeside(
  { definitions, linesOf }: PreciseUses,
  targets: readonly Target[],
): Promise<Target[] | undefined> {
  const defined = new Set(definitions.map(keyOf));
  const isKnown = (target: Target): boolean => defined.has(keyOf(placeOf(target)));
  const isNew = await Promise.all(
    targets.map(async (target) => {
      const { line, ...file } = placeOf(target);
      return !(await linesOf(file))(line);
    }),
  );
  if (isNew.includes(true) && !targets.some(isKnown)) return undefined;
  return targets.filter((target, index) => isNew[index] || isKnown(target));
}

/** The places of uses in lines that an index has not seen. */
export async function placesBeside({ linesOf }: PreciseUses, files: readonly FoundUses[]): Promise<PrecisePlace[]> {
  const found = await Promise.all(
    files.map(async ({ file: { snapshot, path }, uses }) => {
      const { repo } = snapshot;
      const isKnown = await linesOf({ repo, path });
      const lines = new Set(uses.map(({ line }) => line).filter((line) => !isKnown(line)));
      return [...lines].map((line): PrecisePlace => ({ repo, path, line }));
    }),
  );
  return found.flat();
}

/** First the file of the request, then other files of its repository, then other repositories. */
export function inOrder(places: readonly PrecisePlace[], { repo, path }: SymbolRequest): PrecisePlace[] {
  const rank = (place: PrecisePlace): number => (place.repo !== repo ? 2 : place.path === path ? 0 : 1);
  return places.toSorted((a, b) => rank(a) - rank(b));
}

const placeOf = ({ snapshot: { repo }, path, definition: { line } }: Target): PrecisePlace => ({ repo, path, line });

const keyOf = ({ repo, path, line }: PrecisePlace): string => `${repo}\0${path}\0${line}`;
