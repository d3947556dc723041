import type { PrecisePlace, PreciseUses, SymbolRequest } from '@sextant/contracts';
import type { FoundUses } from './resolution/found-uses.ts';
import type { Target } from './resolution/target.ts';

/**
 * Of what a name means by syntax that which may be used where an index has not looked: what the index means, too, and what it
 * does not know. Undefined where the index only knows what the name meant before.
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

/** Uses in lines of which an index does not speak, as places. */
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

/** The file that was asked about first, then those of its repository, then of others. */
export function inOrder(places: readonly PrecisePlace[], { repo, path }: SymbolRequest): PrecisePlace[] {
  const rank = (place: PrecisePlace): number => (place.repo !== repo ? 2 : place.path === path ? 0 : 1);
  return places.toSorted((a, b) => rank(a) - rank(b));
}

const placeOf = ({ snapshot: { repo }, path, definition: { line } }: Target): PrecisePlace => ({ repo, path, line });

const keyOf = ({ repo, path, line }: PrecisePlace): string => `${repo}\0${path}\0${line}`;
