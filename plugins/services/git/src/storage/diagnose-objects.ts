import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { messageOf, oneLine } from '@sextant/core';
import type { Diagnosis } from '@sextant/core';
import type { GitConfig } from '../config.ts';
import { readingArguments, readingEnvironment } from '../process/git-environment.ts';
import { Boundary } from './boundary.ts';
import { scan } from './discovery.ts';

/** More lines of git are not kept. */
const mostLines = 10_000;

interface Stored {
  /** As the configuration names it, or where it was cloned from. */
  readonly name: string;
  readonly gitFolder: string;
  /** What makes it whole again. */
  readonly remedy: string;
}

interface Places {
  readonly configFolder: string;
  /** The folder that holds all clones. */
  readonly clones: string;
}

/** For `sextant doctor --thorough`: reads every object of what is served, one repository after another, and compares it with its hash. */
export async function diagnoseObjects(settings: GitConfig, places: Places): Promise<readonly Diagnosis[]> {
  const stored = [...(await localRepositories(settings, places)), ...(await clonesIn(places.clones))];
  const wrong: Diagnosis[] = [];
  for (const each of stored) {
    const text = await damageOf(each);
    if (text !== undefined) wrong.push({ what: `repository ${each.name}`, state: 'wrong', text });
  }
  if (wrong.length > 0) return wrong;
  return [{ what: 'repositories', state: 'fine', text: `every object of ${stored.length} can be read` }];
}

async function localRepositories(
  { repositories, scanDepth, scanFolders }: GitConfig,
  { configFolder }: Places,
): Promise<readonly Stored[]> {
  const all: Stored[] = [];
  for (const { path, name } of repositories) {
    if (path === undefined) continue;
    const place = resolve(configFolder, path);
    const boundary = new Boundary({ own: [await realpath(place).catch(() => place)], foreign: [] });
    const { found } = await scan({ path: place, name, boundary }, { depth: scanDepth, folders: scanFolders });
    for (const each of found)
      all.push({ ...each, remedy: `Fetch it from another copy, or put a fresh clone in the place of ${each.place}` });
  }
  return all;
}

async function clonesIn(folder: string): Promise<readonly Stored[]> {
  const names = await readdir(folder).catch(() => []);
  const clones = names.filter((name) => /^[0-9a-f]{32}$/.test(name)).map((name) => join(folder, name));
  return Promise.all(
    clones.map(async (gitFolder) => {
      const args = [...readingArguments(gitFolder), 'config', '--get', 'remote.origin.url'];
      const asked = promisify(execFile)('git', args, { env: readingEnvironment });
      const { stdout } = await asked.catch(() => ({ stdout: '' }));
      const remedy = `Stop the server and remove ${gitFolder}: it is cloned again`;
      return { name: oneLine(stdout.trim() || gitFolder), gitFolder, remedy };
    }),
  );
}

/** What git says of a form that hosts accepted once is no damage, and a link to what is missing is told twice. */
const isDamage = (line: string): boolean =>
  line !== '' && !/^((error|warning) in |(notice|warning): |broken link| )/.test(line);

async function damageOf({ gitFolder, remedy }: Stored): Promise<string | undefined> {
  let [count, first] = [0, ''];
  try {
    for (const line of await linesOf(gitFolder, ['fsck', '--full', '--no-dangling', '--no-progress'])) {
      if (!isDamage(line)) continue;
      count += 1;
      first ||= oneLine(line);
    }
  } catch (error) {
    return `its objects could not be read: ${messageOf(error)}`;
  }
  if (count === 0) return undefined;
  const more = count > 1 ? ` (and ${count - 1} more)` : '';
  return `objects are missing or damaged: ${first}${more}. What needs them is not found or "unavailable". ${remedy}`;
}

/** What git prints, on both outputs: a line for each object that is damaged. */
async function linesOf(gitFolder: string, command: readonly string[]): Promise<readonly string[]> {
  const args = [...readingArguments(gitFolder), ...command];
  const git = spawn('git', args, { env: readingEnvironment, stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: string[] = [];
  const read = async (input: NodeJS.ReadableStream): Promise<void> => {
    for await (const line of createInterface({ input })) if (lines.length < mostLines) lines.push(line);
  };
  const [[, signal]] = await Promise.all([once(git, 'close'), read(git.stderr), read(git.stdout)]);
  if (signal !== null) throw new Error(`git was ended by ${signal}`);
  return lines;
}
