import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Milliseconds for which nothing may change before a check: editors write in several steps. */
const settleMs = 200;

/**
 * Runs this command without `--watch` now, and again after each change of a file in the plugin's folder, until it is
 * interrupted. Each check is a process of its own: a module is imported once in a process.
 */
export async function checkAgain(path: string): Promise<void> {
  const isFolder = (await stat(path).catch(() => undefined))?.isDirectory() === true;
  const changes = new EventEmitter();
  const watcher = watch(isFolder ? path : dirname(path), { recursive: true }, (_event, name) => {
    if (name !== null && !/(^|[/\\])(node_modules|\.[^/\\]*)([/\\]|$)/.test(name)) changes.emit('change');
  });
  const interrupted = once(process, 'SIGINT').then(() => 'interrupted' as const);
  try {
    for (;;) {
      const changed = once(changes, 'change').then(() => 'changed' as const);
      await checkOnce();
      process.stderr.write('waiting for a change; Ctrl+C ends it\n');
      if ((await Promise.race([changed, interrupted])) === 'interrupted') return;
      await new Promise((resolve) => setTimeout(resolve, settleMs));
    }
  } finally {
    watcher.close();
  }
}

async function checkOnce(): Promise<void> {
  const [, program = '', ...words] = process.argv;
  const again = words.filter((word) => word !== '--watch');
  await once(spawn(process.execPath, [...process.execArgv, program, ...again], { stdio: 'inherit' }), 'close');
}
