import { merged } from './found-uses.ts';
import { ReferenceFinder } from './references.ts';
import type { AllUses, ReferenceParts } from './references.ts';
import { fileOf, isIn, targetOf } from './target.ts';
import type { Target } from './target.ts';

/** Names of members that hardly anybody writes: the calls of their classes use them. */
const unnamed = new Set(['constructor', '__init__', '__construct', 'initialize']);

/** The uses of what one file defines under a name. */
export async function findUses(parts: ReferenceParts, targets: readonly Target[]): Promise<AllUses> {
  const [target] = targets;
  if (!target) return { files: [], isCut: false };
  const { name, kind, container } = target.definition;
  const classes = unnamed.has(name) || (kind === 'constructor' && name !== container) ? await classesOf(targets) : [];
  const own = await new ReferenceFinder(parts, targets).find(target);
  if (classes.length === 0) return own;
  const all = await Promise.all(classes.map((one) => new ReferenceFinder(parts, [one]).find(one)));
  const calls = all.flatMap((one) => one.files).map(({ file, uses }) => ({ file, uses: uses.filter(isCall) }));
  return { files: merged([...own.files, ...calls], target), isCut: [own, ...all].some(({ isCut }) => isCut) };
}

const isCall = ({ role }: { readonly role: string }): boolean => role === 'call';

async function classesOf(targets: readonly Target[]): Promise<Target[]> {
  const found = await Promise.all(
    targets.map(async (target) => {
      const { isMember, container } = target.definition;
      const file = isMember && container !== undefined ? await fileOf(target) : undefined;
      const named = file && container !== undefined ? file.symbols.definitionsOf(container) : [];
      const around = named.filter((one) => isIn(target.definition, one));
      return file ? around.slice(0, 1).map((one) => targetOf(file, one)) : [];
    }),
  );
  return found.flat();
}
