import { unquotePath } from '@sextant/contracts';
import type { ChangedFile } from './changed-files.ts';
import type { ComparedCommits } from './compared-commits.ts';
import type { GitProgram } from './git-process.ts';
import { LineSplitter } from './lines.ts';
import { PageBudget, PatchParser, patchLimits } from './patch.ts';
import type { FilePatch } from './patch.ts';

const format = [
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--submodule=short',
  '--ignore-submodules=none',
  '--indent-heuristic',
  '-U3',
  '--inter-hunk-context=0',
];
const nothing: FilePatch = { hunks: [], isTruncated: false };
const submoduleMode = '160000';
const rawRecord = /^:\d+ (\d+) [0-9a-f]+ [0-9a-f]+ ([A-Z])\t(.*)$/;

interface PatchRequest {
  readonly git: GitProgram;
  readonly commits: ComparedCommits;
  readonly budget: PageBudget;
}

/** The hunks of each of these files, in their order. */
export async function readPatches(
  git: GitProgram,
  commits: ComparedCommits,
  files: readonly ChangedFile[],
): Promise<FilePatch[]> {
  const request = { git, commits, budget: new PageBudget() };
  const together = await readTogether(request, files.filter(isReadTogether));
  return Promise.all(
    files.map((file) => {
      if (file.isBinary || file.oldId === file.newId) return nothing;
      if (isReadTogether(file)) return together.get(file.path) ?? { hunks: [], isTruncated: true };
      return readAlone(request, file);
    }),
  );
}

/**
 * Renamed files are compared one by one by their contents: asked for some files only, git might pair them differently
 * than among all files. So are those whose names are no UTF-8.
 */
const isReadTogether = ({ previousPath, isExact, isBinary }: ChangedFile): boolean =>
  previousPath === undefined && isExact && !isBinary;

async function readTogether(
  { git, commits, budget }: PatchRequest,
  files: readonly ChangedFile[],
): Promise<Map<string, FilePatch>> {
  if (files.length === 0) return new Map();
  const { folder, base, head, signal } = commits;
  const paths = files.map(({ path }) => path);
  const args = ['diff-tree', '-r', '--raw', '-p', '--no-abbrev', '--no-renames', ...format, base, head, '--', ...paths];
  const records: RawRecord[] = [];
  const parser = new PatchParser(budget);
  const lines = new LineSplitter(4 * patchLimits.line);
  for await (const chunk of git.stream({ gitFolder: folder.path, args, signal })) {
    for (const line of lines.take(chunk))
      if (parser.patches.length === 0 && line.bytes[0] === 0x3a)
        records.push(parseRecord(line.bytes.toString('latin1')));
      else parser.add(line);
    if (budget.isSpent) break;
  }
  return assign(records, parser.patches);
}

async function readAlone({ git, commits, budget }: PatchRequest, file: ChangedFile): Promise<FilePatch> {
  const isSubmodule = file.oldMode === submoduleMode || file.newMode === submoduleMode;
  const isOneSided = file.oldMode === undefined || file.newMode === undefined;
  if (isSubmodule || isOneSided) return { hunks: [], isTruncated: true };
  const args = ['diff', ...format, file.oldId, file.newId];
  const parser = new PatchParser(budget);
  const lines = new LineSplitter(4 * patchLimits.line);
  for await (const chunk of git.stream({ gitFolder: commits.folder.path, args, signal: commits.signal }))
    for (const line of lines.take(chunk)) parser.add(line);
  return parser.patches[0] ?? nothing;
}

interface RawRecord {
  readonly path: string;
  /** Git prints a change of type as a removal and an addition. */
  readonly patches: 1 | 2;
}

function parseRecord(line: string): RawRecord {
  const [, , status, path = ''] = rawRecord.exec(line) ?? [];
  return { path: unquotePath(path), patches: status === 'T' ? 2 : 1 };
}

function assign(records: readonly RawRecord[], patches: readonly FilePatch[]): Map<string, FilePatch> {
  const found = new Map<string, FilePatch>();
  let index = 0;
  for (const record of records) {
    const own = patches.slice(index, index + record.patches);
    index += record.patches;
    if (own.length === record.patches)
      found.set(record.path, {
        hunks: own.flatMap(({ hunks }) => hunks),
        isTruncated: own.some(({ isTruncated }) => isTruncated),
      });
  }
  return found;
}
