import { SextantError } from '@sextant/core';
import type { GeneratedFile } from '@sextant/contracts';

export interface Done {
  readonly output: string;
  readonly files: readonly GeneratedFile[];
  readonly stats: { readonly searches: number; readonly reads: number };
}

/** Most characters of the output that an error repeats. */
const shownOutput = 16_000;
const sandboxed = /\((?:global|field) '(os|io|debug|package|require|dofile|loadfile|collectgarbage|dump)'\)/;

/** An error of the script, with the line that it names. */
export function scriptError(whole: string, script: string): SextantError {
  const failure = whole.slice(0, shownOutput);
  if (failure === 'not enough memory')
    return new SextantError('exhausted', 'the script ran out of memory, or of stack in a recursion without end');
  const number = Number(/script:(\d+):/.exec(failure)?.[1]);
  const line = script.split('\n')[number - 1];
  const missing = sandboxed.exec(failure)?.[1];
  const hint = missing === undefined ? '' : `\n${missing} is not part of the sandbox`;
  const shown = line === undefined ? '' : `\n${number} | ${line.slice(0, 300)}`;
  return new SextantError('invalid_argument', failure + hint + shown);
}

/** Why a script ended, and what it had done until then. */
export function withDone(reason: string, { output, files, stats: { searches, reads } }: Done): string {
  const written = files.map(({ name, url }) => `\nfile ${name}: ${url}`).join('');
  const done = `\n[done so far: ${searches} searches, ${reads} reads]${written}`;
  if (output === '') return `${reason}${done}`;
  const cut = output.length > shownOutput ? ` (its last ${shownOutput} characters)` : '';
  return `${reason}${done}\nprinted so far${cut}:\n${output.slice(-shownOutput)}`;
}
