import { commitFormat, patchContextLines } from '@sextant/contracts';
import type { PatchOptions, PatchRange } from '@sextant/contracts';

/** Git treats larger files as binary: comparing a large text takes many times its size in memory. */
export const bigFileThreshold = ['-c', 'core.bigFileThreshold=16m'];

/** The mailmap in a blob, or none, and no file that the repository's configuration names. */
export const mailmapSettings = (blob = ''): string[] => ['-c', `mailmap.blob=${blob}`, '-c', 'mailmap.file=/dev/null'];

/** What decides which lines count as changed, whatever the repository's configuration says. */
export const diffOptions = [
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--submodule=short',
  '--ignore-submodules=none',
  '--indent-heuristic',
  '--inter-hunk-context=0',
];
const commitOptions = ['--encoding=UTF-8', '--no-notes', commitFormat];

interface Wanted extends Pick<PatchOptions, 'wants' | 'contextLines'> {
  /** The blob of the mailmap. */
  readonly mailmap?: string | undefined;
  /** Commits whose parents are not here. */
  readonly cut?: ReadonlySet<string>;
}

/** The git command whose output `PatchParser` reads. */
export function patchCommand(range: PatchRange, wanted: Wanted): { args: string[]; input?: Uint8Array[] } {
  if ('from' in range) {
    const { from, to, paths = [] } = range;
    return { args: [...bigFileThreshold, ...diffTree(wanted), '--end-of-options', from, to, '--', ...paths] };
  }
  const settings = [...mailmapSettings(wanted.mailmap), ...bigFileThreshold, '-c', 'log.showSignature=false'];
  const command =
    wanted.wants === 'commits'
      ? ['log', '--stdin', '--no-walk=unsorted', '--no-patch', '--no-decorate']
      : [...diffTree(wanted), '--stdin', '--root', '--always'];
  // What they changed is not known. Compared with themselves, they show no changes instead of all files as new.
  const lineOf = (commit: string): string =>
    wanted.wants !== 'commits' && wanted.cut?.has(commit) ? `${commit} ${commit}\n` : `${commit}\n`;
  const input = [Buffer.from(range.commits.map(lineOf).join(''))];
  const paths = range.paths ? ['--', ...range.paths] : [];
  return { args: [...settings, ...command, ...commitOptions, ...paths], input };
}

const diffTree = ({ wants, contextLines = patchContextLines }: Wanted): string[] => [
  'diff-tree',
  '-r',
  '--raw',
  ...(wants === 'hunks' ? ['--patch', `--unified=${contextLines}`] : []),
  '--no-abbrev',
  '--full-index',
  '--no-renames',
  ...diffOptions,
];
