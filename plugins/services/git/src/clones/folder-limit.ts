import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

const lookMs = 1000;

/** Does work that fills a folder, and ends it when the folder grows larger than it may. Throws what the work throws, or what is wrong. */
export async function withinBytes<T>(
  { folder, bytes, signal }: { folder: string; bytes: number; signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const watching = new AbortController();
  const watch = watchFolder({ folder, bytes, over, signal: watching.signal });
  try {
    const result = await work(AbortSignal.any([signal, over.signal]));
    // It may have been done between two looks.
    if ((await bytesOf(folder, bytes, signal)) > bytes) throw tooLarge(bytes);
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
  bytes: number;
  over: AbortController;
  signal: AbortSignal;
}

async function watchFolder({ folder, bytes, over, signal }: Watched): Promise<void> {
  while (!signal.aborted && !over.signal.aborted) {
    await setTimeout(lookMs, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted && (await bytesOf(folder, bytes, signal)) > bytes) over.abort(tooLarge(bytes));
  }
}

const tooLarge = (bytes: number): Error =>
  new Error(`it takes more than ${bytes} bytes of disk; raise the setting "cloneBytes"`);

/** The size of all files below a folder. Counting stops at a limit. */
async function bytesOf(folder: string, limit: number, signal: AbortSignal): Promise<number> {
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
