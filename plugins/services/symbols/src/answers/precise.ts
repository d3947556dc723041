import type { PrecisePlace, PreciseUses, SymbolFile, SymbolPlace, SymbolRequest } from '@sextant/contracts';
import type { FileSymbols } from '../parse/file-symbols.ts';
import type { FoundUses } from '../resolution/reference-finder.ts';
import type { Target } from '../snapshot/source-file.ts';
import type { Snapshot, Snapshots } from '../snapshot/snapshot.ts';
import { definitionShown, symbolFile, useShown } from './symbol-file.ts';
import type { ShownPlace } from './symbol-file.ts';

export interface PreciseCall {
  readonly snapshot: Snapshot;
  readonly snapshots: Snapshots;
  /** The name that was asked for. */
  readonly symbol: string;
}

type Show = (place: PrecisePlace, symbols: FileSymbols | undefined, name: string) => ShownPlace;

/** Shows definitions of an index. Their kind and last line come from the syntax. */
export const preciseDefinitions = (call: PreciseCall, places: readonly PrecisePlace[]): Promise<SymbolFile[]> =>
  filesOf(call, places, ({ line }, symbols, name) => {
    const there = symbols?.definitions.filter((definition) => definition.line === line) ?? [];
    const definition = there.find((one) => one.name === name) ?? there[0];
    if (!definition) return definitionShown({ line, kind: 'definition' }, { startLine: line, endLine: line });
    const { kind, container } = definition;
    return definitionShown({ line, kind, ...(container !== undefined && { container }) }, definition);
  });

/** Shows uses of an index. Their role comes from the syntax of the line. */
export const preciseUses = (call: PreciseCall, places: readonly PrecisePlace[]): Promise<SymbolFile[]> =>
  filesOf(call, places, ({ line }, symbols, name) => {
    const there = symbols?.usesOf(name).find((use) => use.line === line);
    const place: SymbolPlace = { line, kind: there?.role ?? 'other' };
    return useShown(place);
  });

/** Files with the shown places. Those that the commit does not have are left out, because the index is wrong about them. */
async function filesOf(call: PreciseCall, places: readonly PrecisePlace[], show: Show): Promise<SymbolFile[]> {
  const byFile = Map.groupBy(places, ({ repo, path }) => `${repo}\0${path}`);
  const files = await Promise.all(
    [...byFile.values()].map(async (group) => {
      const [first] = group;
      const snapshot = first && (await snapshotOf(call, first.repo));
      if (!first || !snapshot) return [];
      const lines = (await snapshot.read(first.path))?.split(/\r\n|\n|\r/).length ?? 0;
      const symbols = await snapshot.symbols(first.path);
      const shown = group.filter(({ line }) => line <= lines).map((place) => show(place, symbols, call.symbol));
      return shown.length > 0 ? await symbolFile(snapshot, first.path, shown) : [];
    }),
  );
  return files.flat();
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
