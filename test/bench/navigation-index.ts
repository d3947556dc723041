/**
 * How fast names are read ahead: `node test/bench/navigation-index.ts FOLDER…`. The TypeScript files of git repositories become one of
 * five times as many, all different. It is parsed in one thread, beside universal-ctags where that is installed; then ten files change.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { startPlugins } from '@sextant/core/testing';
import type { StartedPlugins } from '@sextant/core/testing';
import { loadPreset } from '../support/preset.ts';

const endings = /\.([cm]?ts|tsx)$/;
const copies = 5;
const changedFiles = 10;
const rival = 'ctags';

using temporary = temporaryFolder();
const folder = join(temporary.path, 'typescript');
const dataFolder = join(temporary.path, 'data');
mkdirSync(dataFolder);

const git = (from: string, ...args: string[]): string =>
  execFileSync('git', ['-C', from, ...args], { encoding: 'utf8', maxBuffer: 1 << 30 });

function filesOf(folders: readonly string[]): Record<string, string> {
  const files: Record<string, string> = {};
  for (const [number, from] of folders.entries())
    for (const path of git(from, 'ls-tree', '-r', '--name-only', 'HEAD')
      .split('\n')
      .filter((one) => endings.test(one))) {
      const text = git(from, 'show', `HEAD:${path}`);
      for (let copy = 0; copy < copies; copy += 1) files[`${copy}/${number}/${path}`] = `// ${copy}\n${text}`;
    }
  return files;
}

const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(2)} s`;

function measureCtags(files: Readonly<Record<string, string>>): void {
  const tree = join(temporary.path, 'tree');
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), text);
  }
  const begun = performance.now();
  const { error } = spawnSync(rival, ['-R', '--languages=TypeScript', '-f', join(temporary.path, 'tags'), tree]);
  if (error) console.log('universal-ctags is not installed');
  else console.log(`universal-ctags, definitions only: ${seconds(performance.now() - begun)}`);
}

async function start(names: readonly string[]): Promise<StartedPlugins> {
  const settings: Readonly<Record<string, object>> = {
    'service-git': { repositories: [{ path: folder, name: 'typescript' }] },
    'service-search-index': { threads: 1, memoryBytes: 1 << 30 },
    'service-symbols': { threads: 1 },
  };
  const plugins = (await loadPreset()).filter(({ name }) => names.includes(name));
  const started = await startPlugins(
    dataFolder,
    plugins.map((plugin) => [plugin, settings[plugin.name] ?? {}]),
  );
  await started.ready();
  while (Object.values(started.status()).some(({ isReady }) => !isReady)) await pause();
  return started;
}

const pause = (): Promise<void> => new Promise((done) => setTimeout(done, 2));

/** Until so many files are parsed; answers the time and the processor's. */
async function untilParsed(started: StartedPlugins, count: number): Promise<{ wall: number; cpu: number }> {
  const [begun, before] = [performance.now(), process.cpuUsage()];
  const detail = (): Readonly<Record<string, unknown>> => started.status()['symbols']?.detail ?? {};
  while (Number(detail()['parsed']) + Number(detail()['skipped']) < count || detail()['waiting'] !== 0) await pause();
  const { user, system } = process.cpuUsage(before);
  return { wall: performance.now() - begun, cpu: (user + system) / 1000 };
}

const files = filesOf(process.argv.slice(2));
/** What stands in several files is parsed once. */
const count = new Set(Object.values(files)).size;
const bytes = Object.values(files).reduce((sum, text) => sum + text.length, 0);
console.log(`${Object.keys(files).length} files, ${count} different ones, ${(bytes / 1e6).toFixed(0)} MB`);
const builder = new RepositoryBuilder({ folder });
builder.commit({ files });
measureCtags(files);
await (await start(['service-git', 'service-search-index']))[Symbol.asyncDispose]();
{
  await using started = await start(['service-git', 'service-search-index', 'service-symbols']);
  const all = await untilParsed(started, count);
  console.log(`names of all files: ${seconds(all.wall)}, ${seconds(all.cpu)} of processor; ${rate(count, all.wall)}`);
  const some = Object.entries(files)
    .slice(0, copies * changedFiles)
    .filter((_, index) => index % copies === 0);
  builder.commit({ files: Object.fromEntries(some.map(([path, text]) => [path, `${text}\n// changed\n`])) });
  const few = await untilParsed(started, count + changedFiles);
  console.log(`after a commit of ${changedFiles} files: ${seconds(few.wall)}, ${seconds(few.cpu)} of processor`);
}

function rate(files: number, milliseconds: number): string {
  return `${((1000 * files) / milliseconds).toFixed(0)} files a second in one thread`;
}
