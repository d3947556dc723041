import { watchFile } from './watch-file.ts';
import type { WatchOptions } from './watch-file.ts';

/**
 * Reloads when one of the files changes that the local plugins are made of, then watches those that they are made of
 * now. Returns the function that stops it.
 */
export async function watchPlugins(
  files: () => readonly string[],
  reload: (changed: string) => Promise<void>,
  options: WatchOptions = {},
): Promise<() => void> {
  const watched = new Map<string, () => void>();
  let isStopped = false;

  const follow = async (): Promise<void> => {
    const wanted = new Set(files());
    for (const [path, stop] of watched)
      if (!wanted.has(path)) {
        stop();
        watched.delete(path);
      }
    for (const path of wanted) {
      if (watched.has(path) || isStopped) continue;
      watched.set(path, await watchFile(path, () => changed(path), options));
    }
  };
  const changed = (path: string): void => void reload(path).then(follow);

  await follow();
  return () => {
    isStopped = true;
    for (const stop of watched.values()) stop();
  };
}
