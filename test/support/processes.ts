import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface Started {
  url: string;
  /** Of the first start; empty later. */
  token: string;
  process: ChildProcess;
  stop(): Promise<void>;
}

const ownBin = fileURLToPath(new URL('../../host/bin/sextant.js', import.meta.url));

/** Runs another command of the program to its end and returns what it prints. */
export const runSextant = (args: readonly string[]): string =>
  execFileSync(process.execPath, [ownBin, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();

export interface ProcessOptions {
  /** Commands of a shell that come first, as those that limit it. */
  readonly limits?: string;
  /** Flags of Node. */
  readonly node?: readonly string[];
  /** The program of another release. */
  readonly bin?: string | undefined;
}

/** A real `sextant serve` on a free port, as the README starts it. */
export async function startSextant(
  flags: readonly string[],
  { limits = '', node = [], bin = ownBin }: ProcessOptions = {},
): Promise<Started> {
  const command = [process.execPath, ...node, bin, 'serve', '--port', '0', ...flags];
  const child = spawn('/bin/sh', ['-c', `${limits}\nexec "$@"`, 'sh', ...command], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const started = { url: '', token: '' };
  for await (const line of createInterface({ input: child.stdout })) {
    started.url ||= /https?:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0] ?? '';
    started.token ||= /sxt_[0-9a-f]{40}/.exec(line)?.[0] ?? '';
    if (/^(curl:|Another access token)/.test(line)) break;
  }
  child.stdout.resume();
  return { ...started, process: child, stop: () => stop(child) };
}

/** The bare handler, answering each path with fixed bytes. */
export async function startBare(answers: Readonly<Record<string, string>>): Promise<Started> {
  const script = fileURLToPath(new URL('../bench/support/bare.ts', import.meta.url));
  const child = spawn(process.execPath, [script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ANSWERS: JSON.stringify(answers) },
  });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { url: line.replace(/\/$/, ''), token: '', process: child, stop: () => stop(child) };
}

/** Resident memory of a process, in MB. */
export function residentMegabytes({ process: { pid } }: Started): number {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}

/** Memory of a process and of all below it, in MB. What they share is divided among them. */
export const wholeMegabytes = ({ process: { pid = 0 } }: Started): number =>
  withChildren(pid).reduce((sum, each) => sum + proportionalKilobytes(each), 0) / 1024;

function withChildren(pid: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), Number(/\) \S (\d+)/.exec(read(`/proc/${name}/stat`))?.[1])] as const);
  const below = (parent: number): number[] =>
    parents.flatMap(([child, of]) => (of === parent ? [child, ...below(child)] : []));
  return [pid, ...below(pid)];
}

const proportionalKilobytes = (pid: number): number =>
  Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0);

/** Empty where a process has ended meanwhile. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Processor time that a process has used so far, in seconds. */
export function processorSeconds({ process: { pid = 0 } }: Started): number {
  const [user = 0, system = 0] = processorTimes(pid);
  return user + system;
}

/** That of a process and of all below it, those that have ended among them. */
export const wholeProcessorSeconds = ({ process: { pid = 0 } }: Pick<Started, 'process'>): number =>
  withChildren(pid)
    .flatMap(processorTimes)
    .reduce((sum, each) => sum + each, 0);

/** User and system time in seconds, its own and that of its children that have ended. */
function processorTimes(pid: number): number[] {
  // After the name, which may contain spaces; in hundredths of a second.
  const fields = read(`/proc/${pid}/stat`).split(') ')[1]?.split(' ') ?? [];
  return fields.slice(11, 15).map((field) => Number(field) / 100);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}
