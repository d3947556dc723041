// Real faults against a real server: `npm run prove:faults -- [--only TEXT] [--wide]`. Each must be named by its cause in three places: the answer of a
// call, the log, and the administration (for a server that does not start: `sextant doctor`). Ends with 1 where one of them does not. Needs root, for
// file systems and network addresses of its own, and the programs openssl and faketime.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { disks } from './faults/disks.ts';
import { files } from './faults/files.ts';
import { hosts } from './faults/hosts.ts';
import { Lab, until } from './faults/lab.ts';
import type { Fault, Places } from './faults/lab.ts';
import { machine } from './faults/machine.ts';

const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, wide: { type: 'boolean', default: false } },
});
const width = values.wide ? 2000 : 160;
/** An idle machine needs less than half of it. */
const patienceSeconds = 40;
const places = ['answer', 'log', 'administration'] as const;

if (process.getuid?.() !== 0)
  throw new Error('faults need root: they mount file systems and take network addresses away');
const scratch = await mkdtemp(join(tmpdir(), 'sextant-faults-'));
// Other accounts start servers, too.
await chmod(scratch, 0o755);
process.stdout.write(`| fault | ${places.join(' | ')} | named |\n| --- | --- | --- | --- | --- |\n`);
try {
  for (const [at, fault] of [...disks, ...files, ...hosts, ...machine].entries())
    if (new RegExp(values.only).test(fault.name) && !(await look(fault, join(scratch, String(at)))))
      process.exitCode = 1;
} finally {
  await rm(scratch, { recursive: true, force: true });
}

async function look(fault: Fault, folder: string): Promise<boolean> {
  await using lab = new Lab(folder);
  const made = await fault.make(lab).catch((error: unknown): Places => {
    const failed = async (): Promise<string> => `the fault could not be made: ${String(error)}`;
    return { answer: failed, log: failed, administration: failed };
  });
  const seen = new Map(places.map((place) => [place, { text: '', line: undefined as string | undefined }]));
  const isNamed = async (place: (typeof places)[number]): Promise<boolean> => {
    const known = seen.get(place);
    if (!known || known.line !== undefined) return true;
    const cause = fault.instead?.[place] ?? fault.cause;
    known.text = await made[place]();
    known.line = known.text.split('\n').find((each) => cause.test(each));
    return known.line !== undefined;
  };
  await until(async () => {
    let areNamed = true;
    for (const place of places) areNamed = (await isNamed(place)) && areNamed;
    return areNamed;
  }, patienceSeconds);
  const cells = [...seen.values()].map(({ text, line }) => shown(line ?? `MISSING in: ${text.slice(-width)}`));
  const named = [...seen.values()].filter(({ line }) => line !== undefined).length;
  process.stdout.write(`| ${fault.name} | ${cells.join(' | ')} | ${named} of ${places.length} |\n`);
  return named === places.length;
}

function shown(text: string): string {
  return text
    .replaceAll(/[\s|]+/g, ' ')
    .trim()
    .slice(0, width);
}
