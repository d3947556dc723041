import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { SextantError } from '@sextant/core';

/** A signal that the first Ctrl-C (or SIGTERM) aborts; the second ends the process as if nobody listened. */
export function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  const abort = (): void => controller.abort(new SextantError('canceled', 'interrupted'));
  process.once('SIGINT', abort);
  process.once('SIGTERM', abort);
  return controller.signal;
}

export const showProgress = (line: string): void => void process.stderr.write(`${line}\n`);

/** One line from standard input. On a terminal what is typed is not shown; elsewhere nothing is prompted. */
export async function readSecret(prompt: string): Promise<string> {
  const isTerminal = process.stdin.isTTY;
  if (isTerminal) process.stderr.write(prompt);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: isTerminal });
  try {
    for await (const line of lines) return line;
    throw new SextantError('invalid_argument', 'nothing was given on standard input');
  } finally {
    lines.close();
    if (isTerminal) process.stderr.write('\n');
  }
}
