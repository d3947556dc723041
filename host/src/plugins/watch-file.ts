import { watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface WatchOptions {
  /** Milliseconds between two looks where the system does not tell of changes (network folders, links to elsewhere). */
  pollMs?: number;
  /** Milliseconds for which the file must stay as it is: editors write in several steps. */
  settleMs?: number;
}

/**
 * Tells when a file has changed, been replaced, or now lies behind another link (a Kubernetes volume swaps the folder).
 * The folder is watched, not the file: editors put a new file into its place. Returns the function that stops it.
 */
export async function watchFile(path: string, onChange: () => void, options: WatchOptions = {}): Promise<() => void> {
  const { pollMs = 2000, settleMs = 100 } = options;
  let seen = await fingerprint(path);
  let looking: Promise<void> | undefined;
  let isStopped = false;

  const look = async (): Promise<void> => {
    if ((await fingerprint(path)) === seen) return;
    const now = await settled(path, settleMs);
    if (isStopped || now === seen) return;
    seen = now;
    onChange();
  };
  const startLooking = (): void => void (looking ??= look().finally(() => (looking = undefined)));
  const watcher = watchFolder(dirname(path), startLooking);
  const timer = setInterval(startLooking, pollMs).unref();

  return () => {
    isStopped = true;
    clearInterval(timer);
    watcher?.close();
  };
}

/** Undefined where the system cannot watch (too many watches, a file system without): then polling remains. */
function watchFolder(folder: string, onEvent: () => void): FSWatcher | undefined {
  try {
    return watch(folder, { persistent: false }, onEvent).on('error', () => {});
  } catch {
    return undefined;
  }
}

async function settled(path: string, settleMs: number): Promise<string> {
  const before = await fingerprint(path);
  await new Promise((resolve) => setTimeout(resolve, settleMs));
  const after = await fingerprint(path);
  return before === after ? after : settled(path, settleMs);
}

const fingerprint = (path: string): Promise<string> =>
  stat(path, { bigint: true }).then(
    ({ dev, ino, size, mtimeNs }) => [dev, ino, size, mtimeNs].join(':'),
    () => 'missing',
  );
