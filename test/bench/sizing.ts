// What a server of a folder of repositories needs, for the table of sizes in docs/operations.md: disk, memory and processor time until
// everything is indexed, and memory after calls of every kind. `npm run bench:sizing -- <folder> [<folder> …]`; a row for each folder.
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { post } from '../support/rpc.ts';
import { startSextant, wholeMegabytes, wholeProcessorSeconds } from '../support/processes.ts';
import type { Started } from '../support/processes.ts';
import { at, kinds, readSubject } from './beside/heavy-calls.ts';
import type { Subject } from './beside/heavy-calls.ts';

const calls = 200;
const loops = 4;

interface Readiness {
  readonly status: string;
  readonly services: Readonly<Record<string, { readonly detail: Readonly<Record<string, unknown>> }>>;
}

async function measure(folder: string): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), 'sextant-sizing-'));
  const data = join(scratch, 'data');
  const began = performance.now();
  const server = await startSextant(['--repos', folder, '--data', data]);
  try {
    let state = await readiness(server);
    for (; state.status !== 'ready'; state = await readiness(server)) await setTimeout(250);
    const seconds = (performance.now() - began) / 1000;
    const processor = wholeProcessorSeconds(server);
    const indexed = wholeMegabytes(server);
    const most = await ask(server, subjectsIn(folder));
    const names = readdirSync(folder);
    const cells = [
      names.length,
      Number(state.services['search']?.detail['files']).toLocaleString('en'),
      diskMegabytes(folder),
      diskMegabytes(data),
      processor.toFixed(0),
      seconds.toFixed(0),
      indexed.toFixed(0),
      most.toFixed(0),
    ];
    print(cells.join(' | '));
  } finally {
    await server.stop();
    await rm(scratch, { recursive: true, force: true });
  }
}

async function readiness({ url, token }: Started): Promise<Readiness> {
  const response = await fetch(`${url}/readyz`, { headers: { authorization: `Bearer ${token}` } });
  return (await response.json()) as Readiness;
}

const subjectsIn = (folder: string): Subject[] =>
  readdirSync(folder).map((name) => readSubject(join(folder, name), name.replace(/\.git$/, '')));

/** Asks for everything there is, several at once; answers the most memory that was seen, in MB. */
async function ask(server: Started, subjects: readonly Subject[]): Promise<number> {
  let turn = 0;
  let most = 0;
  const loop = async (): Promise<void> => {
    for (; turn < calls; turn += 1) {
      const heavy = at(Object.values(kinds), turn)(at(subjects, turn), turn);
      const { url, token } = server;
      const response =
        'page' in heavy
          ? await fetch(url + heavy.page, { headers: { authorization: `Bearer ${token}`, accept: 'text/html' } })
          : await post(url, heavy.message, { path: '/.api/mcp/all', token });
      await response.arrayBuffer();
      most = Math.max(most, wholeMegabytes(server));
    }
  };
  await Promise.all(Array.from({ length: loops }, loop));
  return most;
}

const diskMegabytes = (folder: string): string =>
  (Number(execFileSync('du', ['-s', '-B1', '--', folder], { encoding: 'utf8' }).split('\t')[0]) / 1e6).toFixed(0);

function print(line: string): void {
  process.stdout.write(`| ${line} |\n`);
}

print(
  'repositories | files | MB of git | MB of data folder | processor seconds | seconds | MB indexed | most MB in calls',
);
print('---|---|---|---|---|---|---|---');
for (const folder of process.argv.slice(2)) await measure(resolve(folder));
