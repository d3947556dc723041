import { existsSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '@sextant/core';
import type { DataFile, DataFilePart, Diagnosis, DiagnosisState } from '@sextant/core';

/** Bytes of an index that a processor makes in a second: the least of docs/operations.md's table of sizes, halved. */
const indexBytesASecond = 3_500_000;
const megabyte = 1_000_000;

/** Whether indexes in the data folder can be used as they are. Each is looked at for at most so many milliseconds. */
export async function indexStates(
  dataFolder: string,
  dataFiles: readonly DataFile[],
  mostMs: number,
): Promise<Diagnosis[]> {
  const states: Diagnosis[] = [];
  for (const { path, inspect } of dataFiles) {
    const place = join(dataFolder, path);
    if (inspect && existsSync(place))
      states.push(...statesOf(path, await bytesIn(place), look(inspect(place), mostMs)));
  }
  return states;
}

interface Looked {
  readonly parts: readonly DataFilePart[];
  /** Why the others were not looked at; absent: these are all. */
  readonly ending?: Pick<Diagnosis, 'state' | 'text'>;
}

function look(all: Iterable<DataFilePart>, mostMs: number): Looked {
  const end = performance.now() + mostMs;
  const parts: DataFilePart[] = [];
  try {
    for (const part of all) {
      parts.push(part);
      if (performance.now() > end) return { parts, ending: { state: 'fine', text: 'doctor --thorough looks at all' } };
    }
    return { parts };
  } catch (error) {
    return { parts, ending: { state: 'doubtful', text: `the others could not be looked at: ${messageOf(error)}` } };
  }
}

function statesOf(what: string, wholeBytes: number, { parts, ending }: Looked): Diagnosis[] {
  const said = (state: DiagnosisState, text: string): Diagnosis => ({ what, state, text });
  const seen =
    ending === undefined ? megabytes(wholeBytes) : `${megabytes(bytesOf(parts))} of ${megabytes(wholeBytes)}`;
  const [old, damaged] = [true, false].map((isOld) =>
    parts.filter(({ problem }) => problem?.isOfOtherVersion === isOld),
  );
  const states = [
    ...unusable(what, old, 'of another version').map((text) => said('doubtful', text)),
    ...unusable(what, damaged, 'damaged').map((text) =>
      said('doubtful', `${text}. If it happens again, check the disk`),
    ),
  ];
  if (ending) return [...states, said(ending.state, `${seen} were looked at; ${ending.text}`)];
  return states.length > 0 ? states : [said('fine', `${seen}, can be used as it is`)];
}

/** What is said of parts that are built again; nothing where there are none. */
function unusable(what: string, parts: readonly DataFilePart[] = [], how: string): string[] {
  const [first] = parts;
  if (!first?.problem) return [];
  const bytes = bytesOf(parts);
  const minutes = Math.ceil(bytes / indexBytesASecond / availableParallelism() / 60);
  const time = `about ${minutes} ${minutes === 1 ? 'minute' : 'minutes'} of all processors`;
  const others = parts.length > 1 ? ` (and ${parts.length - 1} others)` : '';
  return [
    `${megabytes(bytes)} are ${how}, and are built again: ${time}; what needs them waits for it. ${join(what, first.name)}${others}: ${first.problem.reason}`,
  ];
}

const bytesOf = (parts: readonly DataFilePart[]): number => parts.reduce((sum, { bytes }) => sum + bytes, 0);

const megabytes = (bytes: number): string => `${(bytes / megabyte).toFixed(1)} MB`;

async function bytesIn(place: string): Promise<number> {
  const status = await lstat(place).catch(() => undefined);
  if (!status?.isDirectory()) return status?.size ?? 0;
  let sum = 0;
  for (const name of await readdir(place)) sum += await bytesIn(join(place, name));
  return sum;
}
