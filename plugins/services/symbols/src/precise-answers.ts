import type { PrecisePlace, SymbolFile, SymbolPlace } from '@sextant/contracts';
import { definitionShown, symbolFile, useShown } from './answer-files.ts';
import type { ShownPlace } from './answer-files.ts';
import type { FileSymbols } from './file-symbols.ts';
import type { Snapshot } from './snapshot.ts';
import type { Snapshots } from './snapshots.ts';

export interface PreciseCall {
  readonly snapshot: Snapshot;
  readonly snapshots: Snapshots;
  /** The name that was asked for. */
  readonly symbol: string;
}

type Show = (place: PrecisePlace, symbols: FileSymbols | undefined, name: string) => ShownPlace;

/** Definitions as an index gives them; what kind they are, and where they end, their syntax says. */
export const preciseDefinitions = (call: PreciseCall, places: readonly PrecisePlace[]): Promise<SymbolFile[]> =>
  filesOf(call, places, ({ line }, symbols, name) => {
    const there = symbols?.definitions.filter((definition) => definition.line === line) ?? [];
    const definition = there.find((one) => one.name === name) ?? there[0];
    if (!definition) return definitionShown({ line, kind: 'definition' }, { startLine: line, endLine: line });
    const { kind, container } = definition;
    return definitionShown({ line, kind, ...(container !== undefined && { container }) }, definition);
  });

/** Uses as an index gives them; their role is that of the name in the line. */
export const preciseUses = (call: PreciseCall, places: readonly PrecisePlace[]): Promise<SymbolFile[]> =>
  filesOf(call, places, ({ line }, symbols, name) => {
    const there = symbols?.usesOf(name).find((use) => use.line === line);
    const place: SymbolPlace = { line, kind: there?.role ?? 'other' };
    return useShown(place);
  });

/** What an index says that the commit does not have, whoever wrote it was wrong about: it is left out. */
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
