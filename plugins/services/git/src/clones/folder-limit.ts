import { joinSignals } from '@sextant/core';
import { lstat, opendir, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

const lookMs = 1000;

/** How much of its disk work may fill. */
export interface DiskLimits {
  /** Most bytes of the folder. */
  bytes: number;
  /** Bytes of the disk that stay free; without it as `ownFreeBytes` says. */
  freeBytes: number | undefined;
  /** Asked before the folder takes so many bytes; throws where it may not. */
  claim?(bytes: number): Promise<void>;
}

/**
 * Does work that fills a folder, and ends it when the folder grows larger than it may or the disk has too little room left; where it
 * has too little already the work does not begin. Throws what the work throws, or what is wrong.
 */
export async function withinBytes<T>(
  { folder, limits, signal }: { folder: string; limits: DiskLimits; signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { bytes } = limits;
  const problem = await lackOfRoom(folder, limits);
  if (problem) throw problem;
  await limits.claim?.((await bytesOf(folder, bytes, signal)) + 1);
  const over = new AbortController();
  const watching = new AbortController();
  const watch = watchFolder({ folder, limits, over, signal: watching.signal });
  try {
    const result = await work(joinSignals(signal, over.signal));
    // It may have been done between two looks.
    const taken = await bytesOf(folder, bytes, signal);
    if (taken > bytes) throw tooLarge(bytes);
    await limits.claim?.(taken);
    return result;
  } catch (error) {
    throw over.signal.aborted ? over.signal.reason : error;
  } finally {
    watching.abort();
    await watch;
  }
}

interface Watched {
  folder: string;
  limits: DiskLimits;
  over: AbortController;
  signal: AbortSignal;
}

async function watchFolder({ folder, limits, over, signal }: Watched): Promise<void> {
  while (!signal.aborted && !over.signal.aborted) {
    await setTimeout(lookMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const problem = (await lackOfRoom(folder, limits)) ?? (await excess(folder, limits, signal));
    if (problem !== undefined) over.abort(problem);
  }
}

async function excess(folder: string, limits: DiskLimits, signal: AbortSignal): Promise<unknown> {
  const taken = await bytesOf(folder, limits.bytes, signal);
  if (taken > limits.bytes) return tooLarge(limits.bytes);
  return limits.claim?.(taken).then(
    () => undefined,
    (error: unknown) => error,
  );
}

async function lackOfRoom(folder: string, { freeBytes }: DiskLimits): Promise<Error | undefined> {
  // The folder itself may not be there yet.
  const { bavail, blocks, bsize } = await statfs(dirname(folder));
  const [free, wanted] = [bavail * bsize, freeBytes ?? ownFreeBytes(blocks * bsize)];
  if (free >= wanted) return undefined;
  return new Error(
    `only ${free} bytes of the disk are free, and ${wanted} are to stay free; free some, or lower the setting "freeBytes"`,
  );
}

const gibibyte = 1024 ** 3;

/** What stays free unless said. */
const ownFreeBytes = (bytesOfDisk: number): number => Math.min(gibibyte, Math.floor(bytesOfDisk / 20));

const tooLarge = (bytes: number): Error =>
  new Error(`it takes more than ${bytes} bytes of disk; raise the setting "cloneBytes"`);

const unending = { aborted: false };

/** The size of all files below a folder. Counting stops at a limit. */
export async function bytesOf(
  folder: string,
  limit = Infinity,
  signal: Pick<AbortSignal, 'aborted'> = unending,
): Promise<number> {
  let bytes = 0;
  const pending = [folder];
  for (let path = pending.pop(); path !== undefined && bytes <= limit && !signal.aborted; path = pending.pop())
    try {
      for await (const entry of await opendir(path)) {
        const child = join(path, entry.name);
        if (entry.isDirectory()) pending.push(child);
        else bytes += (await lstat(child).catch(() => undefined))?.size ?? 0;
      }
    } catch {
      // Git moves its files while we look.
    }
  return bytes;
}
