import type { CloneProgress } from '@sextant/contracts';

/** The stages of git, and what they are here. Those that begin with `remote` are told by the other side, which may tell anything. */
const stages: Readonly<Record<string, CloneProgress['stage']>> = {
  'remote: Enumerating objects': 'preparing',
  'remote: Counting objects': 'preparing',
  'remote: Compressing objects': 'preparing',
  'Receiving objects': 'receiving',
  'Resolving deltas': 'resolving',
};

const units: Readonly<Record<string, number>> = { bytes: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };

/** What a line such as `Receiving objects:  45% (9/20), 1.20 MiB | 2.00 MiB/s` tells; undefined for one that tells of no progress. */
export function progressIn(line: string): CloneProgress | undefined {
  const [, name = '', percent, size, unit = ''] =
    /^((?:remote: )?[A-Z][a-z]+ [a-z]+): +(?:(\d{1,3})%|\d+)(?: \(\d+\/\d+\)(?:, ([\d.]+) (bytes|[KMG]iB))?)?/.exec(
      line,
    ) ?? [];
  const stage = Object.hasOwn(stages, name) ? stages[name] : undefined;
  if (!stage) return undefined;
  const bytes = Math.round(Number(size) * (units[unit] ?? Number.NaN));
  return {
    stage,
    ...(percent !== undefined && { percent: Math.min(100, Number(percent)) }),
    ...(Number.isFinite(bytes) && { bytes }),
  };
}
