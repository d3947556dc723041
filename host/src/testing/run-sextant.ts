import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export const program = fileURLToPath(new URL('../../bin/sextant.js', import.meta.url));

export interface RunOptions {
  cwd: string;
  env?: NodeJS.ProcessEnv;
  input?: string;
}

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The program in a process of its own, with what it has written so far. */
export interface Running extends AsyncDisposable {
  readonly process: ChildProcess;
  readonly written: { stdout: string; stderr: string };
  /** Resolves when what was written matches; rejects when the process ends before. */
  untilWritten(stream: 'stdout' | 'stderr', pattern: RegExp): Promise<RegExpExecArray>;
  readonly ended: Promise<Ran>;
}

export function start(args: readonly string[], { cwd, env = {}, input }: RunOptions): Running {
  // What npm left in the environment of the tests would be taken for the person's.
  const { npm_package_json: _manifest, npm_lifecycle_event: _script, INIT_CWD: _folder, ...clean } = process.env;
  const child = spawn(process.execPath, [program, ...args], { cwd, env: { ...clean, ...env } });
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => void (written[name] += text));
  child.stdin.end(input);
  const ended = once(child, 'close').then(([code]): Ran => ({ code, ...written }));
  return {
    process: child,
    written,
    ended,
    untilWritten: async (stream, pattern) => {
      for (;;) {
        const found = pattern.exec(written[stream]);
        if (found) return found;
        const next = await Promise.race([once(child[stream], 'data').then(() => undefined), ended]);
        if (next && !pattern.test(written[stream]))
          throw new Error(`ended with ${next.code} before ${pattern}: ${next.stderr}`);
      }
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Runs the program to its end. */
export async function run(args: readonly string[], options: RunOptions): Promise<Ran> {
  return start(args, options).ended;
}
