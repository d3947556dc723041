import type { StoredRepository } from '@sextant/contracts';
import { commitFormat, mailmapSettings } from './commit-record.ts';
import { PatchParser } from './patch-parser.ts';
import type { PatchSink } from './patch-parser.ts';
import type { Tips } from './tips.ts';

/** What decides which lines count as changed, whatever the repository's configuration says. */
const diffOptions = [
  '--no-renames',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--submodule=short',
  '--ignore-submodules=none',
  '--encoding=UTF-8',
  '--no-notes',
];
const settings = [...mailmapSettings, '-c', 'diff.interHunkContext=0', '-c', 'log.showSignature=false'];

/** Git takes smaller numbers for something else than seconds; such dates are compared here. */
const firstReadable = 100_000_000;

/** A part of a walk from the newest commit on. */
export interface WalkPart {
  readonly tips: Tips;
  readonly isWithoutMerges: boolean;
  /** Committer date in seconds, inclusive. */
  readonly before: number | undefined;
  readonly skip: number;
  readonly limit: number;
}

/** A sink that has seen enough ends the command. */
export type EndingSink = PatchSink & { readonly isDone: boolean };

/** Commits, newest first, with their messages. */
export function walk(repository: StoredRepository, part: WalkPart, reading: Reading): Promise<void> {
  const { tips, isWithoutMerges, before, skip, limit } = part;
  const args = ['log', '--stdin', '--no-patch', '--no-decorate', '--no-show-signature', `--skip=${skip}`];
  args.push(`--max-count=${limit}`);
  if (isWithoutMerges) args.push('--no-merges');
  if (before !== undefined && before >= firstReadable) args.push(`--until=@${before}`);
  return read(repository, { args, lines: [...tips.include, ...tips.exclude.map((hash) => `^${hash}`)] }, reading);
}

export interface ChangesPart {
  readonly hashes: readonly string[];
  readonly hasPatch: boolean;
  /** Longest time, where nobody waits for it. */
  readonly seconds?: number;
}

/** The changed paths of commits, with their hunks where `hasPatch`. Merges have none. */
export function changes(
  repository: StoredRepository,
  { hashes, hasPatch, seconds }: ChangesPart,
  reading: Reading,
): Promise<void> {
  const wanted = hasPatch ? ['--raw', '--patch', '--unified=3'] : ['--raw'];
  const args = ['diff-tree', '--stdin', '--root', '--always', '-r', ...wanted, '--no-abbrev', '--full-index'];
  return read(repository, { args, lines: hashes, ...(seconds !== undefined && { seconds }) }, reading);
}

export interface Reading {
  readonly sink: EndingSink;
  readonly signal: AbortSignal;
}

async function read(
  repository: StoredRepository,
  { args, lines, ...time }: { args: readonly string[]; lines: readonly string[]; seconds?: number },
  { sink, signal }: Reading,
): Promise<void> {
  const parser = new PatchParser(sink);
  const input = [Buffer.from(lines.map((line) => `${line}\n`).join(''))];
  const command = { args: [...settings, ...args, ...diffOptions, commitFormat], input, signal, ...time };
  for await (const chunk of repository.stream(command)) {
    parser.push(chunk);
    if (sink.isDone) return;
  }
}
