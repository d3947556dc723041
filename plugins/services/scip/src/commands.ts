import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { PreciseIndex, Repositories } from '@sextant/contracts';
import type { IndexUpload, UploadedIndex } from '@sextant/contracts';
import { Principals, SextantError, defineCommand, isSextantError } from '@sextant/core';
import type { Caller, Command, CommandIo, Resolved } from '@sextant/core';
import { z } from 'zod';

const needs = { precise: PreciseIndex, principals: Principals, repositories: Repositories };

const target = {
  repo: z.string().min(1).describe('Name of the repository'),
  root: z.string().describe('Folder of the repository in which the indexer ran; its root unless said').optional(),
  user: z.string().default('admin').describe('Whose permissions it has'),
};
const uploaded = z.object({
  repo: z.string(),
  commit: z.string(),
  indexer: z.string(),
  documents: z.int(),
  occurrences: z.int(),
});
const toText = ({ repo, commit, indexer, documents, occurrences }: UploadedIndex): string =>
  `${repo}@${commit}: ${documents} documents and ${occurrences} occurrences by ${indexer}`;

const scipUploadCommand = defineCommand({
  name: 'scip upload',
  summary: 'store a SCIP index, which makes navigation at a commit and near to it precise',
  input: z.object({
    file: z.string().describe('The index, plain or gzip'),
    commit: z.string().min(1).describe('The commit that was indexed'),
    ...target,
  }),
  positionals: ['file'],
  needs,
  output: uploaded,
  run: async ({ file, user, repo, commit, root }, services, { signal, showProgress }) => {
    const of = { repo, commit, ...(root !== undefined && { root }) };
    const caller = await callerFor(repo, user, services);
    return send({ precise: services.precise, caller, of, file: resolve(file) }, { signal, showProgress });
  },
  toText,
});

const scipIndexCommand = defineCommand({
  name: 'scip index',
  summary: 'index a TypeScript project with the scip-typescript that is installed in it, and store the index',
  input: z.object({
    folder: z.string().default('.').describe('The project, checked out at the commit'),
    commit: z.string().min(1).default('HEAD').describe('The commit that is checked out there'),
    ...target,
  }),
  needs,
  output: uploaded,
  run: async ({ folder, user, repo, commit, root }, services, { signal, showProgress }) => {
    const caller = await callerFor(repo, user, services);
    const file = join(tmpdir(), `sextant-${randomUUID()}.scip`);
    try {
      showProgress('scip-typescript is at work');
      await runScipTypescript({ folder: resolve(folder), output: file }, signal);
      const of = { repo, commit, ...(root !== undefined && { root }) };
      return await send({ precise: services.precise, caller, of, file }, { signal, showProgress });
    } finally {
      await rm(file, { force: true });
    }
  },
  toText,
});

export const commands: readonly Command[] = [scipUploadCommand, scipIndexCommand];

interface Sent {
  readonly precise: PreciseIndex;
  readonly caller: Caller;
  readonly of: Omit<IndexUpload, 'content'>;
  readonly file: string;
}

async function send(
  { precise, caller, of, file }: Sent,
  { signal, showProgress }: Pick<CommandIo, 'signal' | 'showProgress'>,
): Promise<UploadedIndex> {
  const content = readWithProgress({ file, size: await sizeOf(file) }, showProgress);
  return precise.upload(caller, { ...of, content }, signal);
}

async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) throw new SextantError('not_found', `there is no file ${file}`);
  return found.size;
}

/** Throws `not_found` for a user and a repository that are not there; a command does not know how the server was started. */
async function callerFor(
  repo: string,
  user: string,
  { principals, repositories }: Resolved<typeof needs>,
): Promise<Caller> {
  const caller = await principals.named(user);
  if (!caller) throw new SextantError('not_found', `there is no enabled user "${user}"`);
  await repositories.open(caller, repo).catch((error: unknown) => {
    if (!isSextantError(error) || error.code !== 'not_found') throw error;
    const hint = 'This command has the repositories of --repos FOLDER or --config FILE, as `sextant serve` does.';
    throw new SextantError('not_found', `${error.message} ${hint}`, { cause: error });
  });
  return caller;
}

const megabyte = 1_000_000;
/** Lines of progress for a large file. */
const steps = 10;
/** Smaller files are read so quickly that they need no progress. */
const leastBytes = 20 * megabyte;

/** Reads a file in pieces. For a large one, it shows a line for each tenth. */
export async function* readWithProgress(
  { file, size }: { file: string; size: number },
  showProgress: (line: string) => void,
): AsyncGenerator<Uint8Array, void, void> {
  let done = 0;
  let shown = 0;
  for await (const piece of createReadStream(file)) {
    done += piece.length;
    const step = Math.floor((steps * done) / size);
    if (size >= leastBytes && step > shown)
      showProgress(`${Math.round(done / megabyte)} of ${Math.round(size / megabyte)} MB read`);
    shown = step;
    yield piece;
  }
  showProgress('the index is checked and stored');
}

const packageName = '@sourcegraph/scip-typescript';
const manifest = z.object({ bin: z.union([z.string(), z.record(z.string(), z.string())]) });
/** Most characters of the error output that are shown. */
const longestComplaint = 2000;

/** Runs the scip-typescript that is installed in a project. Throws `unavailable` if it is not installed, or fails. */
async function runScipTypescript(
  { folder, output }: { folder: string; output: string },
  signal: AbortSignal,
): Promise<void> {
  const args = [programIn(folder), 'index', '--output', output];
  const child = spawn(process.execPath, args, { cwd: folder, signal, stdio: ['ignore', 'ignore', 'pipe'] });
  let complaint = '';
  child.stderr.setEncoding('utf8');
  child.stderr.on('data', (text: string) => (complaint = (complaint + text).slice(-longestComplaint)));
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.once('error', reject);
  child.once('close', resolve);
  const code = await promise;
  if (code !== 0)
    throw new SextantError('unavailable', `scip-typescript failed with exit code ${code}: ${complaint.trim()}`);
}

function programIn(folder: string): string {
  const path = manifestIn(folder);
  const { bin } = manifest.parse(JSON.parse(readFileSync(path, 'utf8')));
  const program = typeof bin === 'string' ? bin : bin['scip-typescript'];
  if (program === undefined) throw new SextantError('unavailable', `${packageName} in ${dirname(path)} has no program`);
  return join(dirname(path), program);
}

function manifestIn(folder: string): string {
  try {
    return createRequire(join(folder, 'package.json')).resolve(`${packageName}/package.json`);
  } catch (error) {
    throw new SextantError(
      'unavailable',
      `${packageName} is not installed in ${folder}: run \`npm install --save-dev ${packageName}\` there, or make an index with another indexer and send it with \`sextant scip upload\``,
      { cause: error },
    );
  }
}
