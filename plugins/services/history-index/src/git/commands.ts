import type { StoredRepository } from '@sextant/contracts';
import { commitFormat, mailmapSettings } from './commit-record.ts';
import { PatchParser } from './patch-parser.ts';
import type { PatchSink } from './patch-parser.ts';

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
/** Larger files count as binary: of a file of 400 MB of line ends git holds 5 GB to compare it, in more than a minute. */
const largestText = '16m';
const settings = [
  ...mailmapSettings,
  '-c',
  `core.bigFileThreshold=${largestText}`,
  '-c',
  'diff.interHunkContext=0',
  '-c',
  'log.showSignature=false',
];
/** Longest time of one command. Git compares a commit as a whole before it prints it, and holds more with each second: 15 s are 1 GB. */
const changesSeconds = 15;

/** A sink that has seen enough ends the command. */
export type EndingSink = PatchSink & { readonly isDone: boolean };

/** Commits with their messages, in the order given. */
export function records(repository: StoredRepository, hashes: readonly string[], reading: Reading): Promise<void> {
  return read(repository, recordsCommand(hashes), reading);
}

/** What `records` runs. */
export function recordsCommand(hashes: readonly string[]): GitCommand {
  const args = ['log', '--stdin', '--no-walk=unsorted', '--no-patch', '--no-decorate', '--no-show-signature'];
  return command(args, hashes);
}

export interface ChangesPart {
  readonly hashes: readonly string[];
  readonly hasPatch: boolean;
}

/** The changed paths of commits, with their hunks where `hasPatch`. Merges have none. */
export function changes(repository: StoredRepository, part: ChangesPart, reading: Reading): Promise<void> {
  return read(repository, changesCommand(part), reading);
}

/** What `changes` runs. */
export function changesCommand({ hashes, hasPatch }: ChangesPart): GitCommand {
  const wanted = hasPatch ? ['--raw', '--patch', '--unified=3'] : ['--raw'];
  const args = ['diff-tree', '--stdin', '--root', '--always', '-r', ...wanted, '--no-abbrev', '--full-index'];
  return { ...command(args, hashes), seconds: changesSeconds };
}

interface GitCommand {
  readonly args: readonly string[];
  readonly seconds?: number;
  readonly input: readonly Uint8Array[];
}

const command = (args: readonly string[], lines: readonly string[]): GitCommand => ({
  args: [...settings, ...args, ...diffOptions, commitFormat],
  input: [Buffer.from(lines.map((line) => `${line}\n`).join(''))],
});

export interface Reading {
  readonly sink: EndingSink;
  readonly signal: AbortSignal;
}

async function read(repository: StoredRepository, git: GitCommand, { sink, signal }: Reading): Promise<void> {
  const parser = new PatchParser(sink);
  for await (const chunk of repository.stream({ ...git, maxBytes: Infinity, signal })) {
    parser.push(chunk);
    if (sink.isDone) return;
  }
  parser.end();
}
