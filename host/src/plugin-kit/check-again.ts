import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { filesBelow, modulesIn, versionOf } from '../plugins/plugin-files.ts';

/** Milliseconds between two looks at the files. They must be the same in both: editors write in several steps. */
const lookMs = 250;

/**
 * Runs this command without `--watch` now, and again after each change of a file in the plugin's folder, until it is
 * interrupted. Each check is a process of its own: a module is imported once in a process. The system is not asked to
 * tell of changes: below a folder it loses files that an editor has replaced.
 */
export async function checkAgain(path: string): Promise<void> {
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  const version = await versionsOf(path);
  for (;;) {
    // From before the check: what changes meanwhile is checked next.
    const checked = await version();
    await checkOnce();
    if (interrupted.signal.aborted) return;
    process.stderr.write('waiting for a change; Ctrl+C ends it\n');
    if (!(await hasChanged(checked, version, interrupted.signal))) return;
  }
}

/** Waits until the files are others than those that were checked, and rest; false when it was interrupted. */
async function hasChanged(checked: string, version: () => Promise<string>, signal: AbortSignal): Promise<boolean> {
  for (let before = checked; ; ) {
    await pause(lookMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return false;
    const now = await version();
    if (now !== checked && now === before) return true;
    before = now;
  }
}

/** Of a folder all files; of a file it and the modules beside it. */
async function versionsOf(path: string): Promise<() => Promise<string>> {
  const isFolder = (await stat(path).catch(() => undefined))?.isDirectory() === true;
  return async () => versionOf(await (isFolder ? filesBelow(path) : modulesIn(dirname(path))));
}

async function checkOnce(): Promise<void> {
  const [, program = '', ...words] = process.argv;
  const again = words.filter((word) => word !== '--watch');
  await once(spawn(process.execPath, [...process.execArgv, program, ...again], { stdio: 'inherit' }), 'close');
}
