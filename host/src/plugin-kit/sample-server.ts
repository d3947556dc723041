import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Principals, silentLogger } from '@sextant/core';
import type { Caller } from '@sextant/core';
import { preset } from '@sextant/preset';
import { loadConfig } from '../config/config.ts';
import { ConfigError } from '../config/problems.ts';
import type { Generation } from '../server/generation.ts';
import { startGeneration } from '../server/start.ts';

/** Repositories of the sample: one that the caller may read, one that they may not, and one that does not exist. */
export const sample = { open: 'sample-open', hidden: 'sample-hidden', missing: 'sample-absent' } as const;

const files = {
  'README.md': '# Sample\n\nGreets people.\n',
  'src/greet.ts': 'export function greet(name: string): string {\n  return `Hello, ${name}!`;\n}\n',
  'src/main.ts': "import { greet } from './greet.ts';\n\nconsole.log(greet('Ada'));\n",
};

/** A server with the preset, the plugin, and a sample of repositories, as a caller without special rights sees it. */
export interface SampleServer extends AsyncDisposable {
  readonly generation: Generation;
  readonly caller: Caller;
  /** Closes everything and starts it once more on the same data. */
  restart(): Promise<void>;
}

/** A plugin by its path, in the place of one of the same name in the preset. */
export interface SamplePlugin {
  readonly name: string;
  readonly path: string;
  readonly settings: Readonly<Record<string, unknown>>;
  /** Paths of other plugins, which are trusted: it may need a service of theirs. */
  readonly with: readonly string[];
  /** Names of plugins that are switched off. */
  readonly without: readonly string[];
  /** What the operator would say of it. */
  readonly flags: Readonly<Record<string, unknown>>;
}

export async function startSampleServer(plugin: SamplePlugin): Promise<SampleServer> {
  const folder = await mkdtemp(join(tmpdir(), 'sextant-check-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    for (const repository of [sample.open, sample.hidden]) await makeRepository(join(folder, repository));
    const file = join(folder, 'sextant.config.json');
    await writeFile(file, JSON.stringify(configurationOf(folder, pluginsOf(plugin))));
    const configuration = await loadConfig({ file, workingDirectory: folder, repositories: [] });
    const dataFolder = join(folder, 'data');
    await mkdir(dataFolder, { mode: 0o700 });
    const start = async (): Promise<Generation> => {
      const generation = await startGeneration(configuration, {
        dataFolder,
        listeningURL: 'http://127.0.0.1:7080',
        log: silentLogger,
      });
      await generation.assembly.ready();
      return generation;
    };
    const generation = await start();
    return {
      generation,
      caller: await readerOf(generation),
      restart: async () => {
        await generation.retire(5000);
        await (await start()).retire(5000);
      },
      [Symbol.asyncDispose]: () => stop(generation, remove),
    };
  } catch (error) {
    await remove();
    throw error instanceof ConfigError ? new Error(withoutFile(error.message), { cause: error }) : error;
  }
}

/** The author has not written the configuration of the sample. */
const withoutFile = (message: string): string => message.replaceAll(/^sextant\.config\.json: | \(line \d+\)$/gm, '');

const pluginsOf = ({ name, path, settings, with: others, without, flags }: SamplePlugin): object => ({
  ...(preset.includes(`@sextant/${name}`) && { [name]: false }),
  ...Object.fromEntries(without.map((other) => [other, false])),
  ...Object.fromEntries(others.map((other) => [other, { trusted: true }])),
  [path]: { ...settings, ...flags },
});

async function stop(generation: Generation, remove: () => Promise<void>): Promise<void> {
  await generation.retire(5000);
  await remove();
}

const configurationOf = (folder: string, plugins: object): object => ({
  repositories: [
    { path: join(folder, sample.open) },
    { path: join(folder, sample.hidden), access: { users: ['owner'] } },
  ],
  users: [{ name: 'owner' }, { name: 'reader' }],
  plugins,
});

async function readerOf({ assembly }: Generation): Promise<Caller> {
  const caller = await assembly.services.resolve({ principals: Principals }).principals.named('reader');
  if (!caller) throw new Error('the sample has no reader');
  return caller;
}

async function makeRepository(folder: string): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', '-c', 'commit.gpgSign=false'];
  for (const args of [
    ['init', '--quiet'],
    ['add', '.'],
    [...identity, 'commit', '--quiet', '--message', 'Greet people'],
  ])
    await promisify(execFile)('git', args, { cwd: folder });
}
