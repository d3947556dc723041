import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { SextantError, visible } from '@sextant/core';

/** A signal that the first Ctrl-C (or SIGTERM) aborts; the second ends the process as if nobody listened. */
export function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  const abort = (): void => controller.abort(new SextantError('canceled', 'interrupted'));
  process.once('SIGINT', abort);
  process.once('SIGTERM', abort);
  return controller.signal;
}

/** Writes what a command found. Everything that is printed passes here or through `complain`: names in repositories may hold what terminals act on. */
export const print = (text: string): void => void process.stdout.write(`${visible(text)}\n`);

/** Writes what goes beside the output: problems, progress, questions. */
export const complain = (text: string, end = '\n'): void => void process.stderr.write(visible(text) + end);

/** One line from standard input. On a terminal what is typed is not shown; elsewhere nothing is prompted. */
export async function readSecret(prompt: string): Promise<string> {
  const isTerminal = process.stdin.isTTY;
  if (isTerminal) complain(prompt, '');
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: isTerminal });
  try {
    for await (const line of lines) return line;
    throw new SextantError('invalid_argument', 'nothing was given on standard input');
  } finally {
    lines.close();
    if (isTerminal) complain('');
  }
}
