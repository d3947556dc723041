import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { oneLine, operatorReason, silentLogger } from '@sextant/core';
import type { Diagnosis } from '@sextant/core';
import type { GitConfig } from '../config.ts';
import { lacksMemory, limitedGit, readingArguments, readingEnvironment } from '../process/git-environment.ts';
import { scan } from './discovery.ts';
import { GitFolder } from './git-folder.ts';
import { LocalFolders } from './local-folders.ts';
import { PreparedFolders } from './prepared-folder.ts';
import type { RepositoryFormats } from './repository-format.ts';

interface Stored {
  /** As the configuration names it, or where it was cloned from. */
  readonly name: string;
  readonly folder: GitFolder;
  /** What makes it whole again. */
  readonly remedy: string;
}

interface Places {
  readonly configFolder: string;
  readonly dataFolder: string;
  /** The folder that holds all clones. */
  readonly clones: string;
  readonly formats: RepositoryFormats;
}

/** For `sextant doctor --thorough`: reads every object of what is served, one repository after another, and compares it with its hash. */
export async function diagnoseObjects(settings: GitConfig, places: Places): Promise<readonly Diagnosis[]> {
  const scratch = await mkdtemp(join(tmpdir(), 'sextant-doctor-'));
  const rows: Diagnosis[] = [];
  let count = 0;
  try {
    const folders = await PreparedFolders.open(scratch);
    const all = [localRepositories(settings, { ...places, folders }), clonesIn(places.clones)];
    for (const stored of all)
      for await (const each of stored) {
        if (!('folder' in each)) {
          rows.push(each);
          continue;
        }
        count += 1;
        const damage = await damageOf(each);
        if (damage) rows.push({ what: `repository ${each.name}`, ...damage });
      }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  if (rows.length > 0) return rows;
  return [{ what: 'repositories', state: 'fine', text: `every object of ${count} can be read` }];
}

/** The repositories that are read where they stand, and a row for each that is not served. */
async function* localRepositories(
  { repositories, sharedObjectStores, scanDepth: depth, scanFolders, refs, objectFiles: files }: GitConfig,
  { configFolder, ...places }: Omit<Places, 'clones'> & { readonly folders: PreparedFolders },
): AsyncIterable<Stored | Diagnosis> {
  const options = { ...places, configFolder, repositories, sharedObjectStores, log: silentLogger };
  const opened = await LocalFolders.open({ ...options, limits: { refs, files } }, new Map());
  for (const [index, configured] of repositories.entries()) {
    if (configured.path === undefined) continue;
    const boundary = await opened.boundaryOf(configured);
    const place = resolve(configFolder, configured.path);
    const limits = { depth, folders: scanFolders };
    const { found, failures } = await scan({ path: place, name: configured.name, boundary }, limits);
    for (const failure of failures) yield notServed(failure);
    for (const repository of found) {
      const folder = opened.open({ repository, boundary, index });
      if (!(folder instanceof GitFolder)) {
        yield notServed(folder);
        continue;
      }
      const remedy = `Fetch it from another copy, or put a fresh clone in the place of ${repository.place}`;
      yield { name: repository.name, folder, remedy };
    }
  }
}

const notServed = ({ name, reason }: { readonly name: string; readonly reason: string }): Diagnosis => ({
  what: `repository ${name}`,
  state: 'doubtful',
  text: `its objects were not read: ${reason}`,
});

async function* clonesIn(clones: string): AsyncIterable<Stored> {
  const names = await readdir(clones).catch(() => []);
  for (const name of names.filter((each) => /^[0-9a-f]{32}$/.test(each))) {
    const path = join(clones, name);
    const args = [...readingArguments(path), 'config', '--get', 'remote.origin.url'];
    const asked = promisify(execFile)('git', args, { env: readingEnvironment });
    const { stdout } = await asked.catch(() => ({ stdout: '' }));
    const remedy = `Stop the server and remove ${path}: it is cloned again`;
    yield { name: oneLine(stdout.trim() || path), folder: new GitFolder(path), remedy };
  }
}

/** What git says of a form that hosts accepted once is no damage, and a link to what is missing is told twice. */
const isDamage = (line: string): boolean =>
  line !== '' && !/^((error|warning) in |(notice|warning): |broken link| )/.test(line);

async function damageOf({ folder, remedy }: Stored): Promise<Omit<Diagnosis, 'what'> | undefined> {
  let [count, first] = [0, ''];
  try {
    await folder.prepare();
    const hasRoom = await eachLine(folder.path, ['fsck', '--full', '--no-dangling', '--no-progress'], (line) => {
      if (!isDamage(line)) return;
      count += 1;
      first ||= oneLine(line);
    });
    if (!hasRoom)
      return {
        state: 'doubtful',
        text: `its objects need more memory than git is given; run "git fsck" in ${folder.ownPath}`,
      };
  } catch (error) {
    return { state: 'wrong', text: `its objects could not be read: ${operatorReason(error)}` };
  }
  if (count === 0) return undefined;
  const more = count > 1 ? ` (and ${count - 1} more)` : '';
  const text = `objects are missing or damaged: ${first}${more}. What needs them is not found or "unavailable". ${remedy}`;
  return { state: 'wrong', text };
}

/** Calls back with what git prints, on both outputs: a line for each object that is damaged. Answers whether its memory was enough. */
async function eachLine(
  gitFolder: string,
  command: readonly string[],
  onLine: (line: string) => void,
): Promise<boolean> {
  const [program, args] = limitedGit([...readingArguments(gitFolder), ...command]);
  const git = spawn(program, args, { env: readingEnvironment, stdio: ['ignore', 'pipe', 'pipe'] });
  let hasRoom = true;
  const read = async (input: NodeJS.ReadableStream): Promise<void> => {
    for await (const line of createInterface({ input })) {
      hasRoom &&= !lacksMemory(line);
      onLine(line);
    }
  };
  const [[, signal]] = await Promise.all([once(git, 'close'), read(git.stderr), read(git.stdout)]);
  if (signal !== null) throw new Error(`git was ended by ${signal}`);
  return hasRoom;
}
