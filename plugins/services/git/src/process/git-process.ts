import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { SextantError, isSextantError, messageOf } from '@sextant/core';
import { lacksMemory, limitedGit, limitedTransport, readingArguments, readingEnvironment } from './git-environment.ts';
import { SlotTurn, Slots } from './slots.ts';

export interface GitLimits {
  /** Commands that run at once. */
  processes: number;
  /** Longest time of one command, in which it has a slot. */
  seconds: number;
  /** Longest time for which a command that reads prints nothing; without limit unless said. */
  silentSeconds?: number;
  /** Most bytes that a command that reads prints; without limit unless said. */
  outputBytes?: number;
}

export interface GitCommand {
  /** The repository that is read. */
  gitFolder: string;
  args: readonly string[];
  signal: AbortSignal;
  /** Exit codes that are answers; 0 unless said. */
  exits?: readonly number[];
  /** What is written to its standard input. */
  input?: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** Longest time, where it is another than for all commands. */
  seconds?: number;
  /** Longest time without output, where it is another than for all commands. */
  silentSeconds?: number;
  /** Most bytes that it prints, where these are others than for all commands. */
  maxBytes?: number;
  /** Whether the same work failed before: commands that did not come first. */
  isRetry?: boolean;
  /** Whether others come first. */
  isBackground?: boolean;
  /** Told what it wrote to its standard error, once it has succeeded. */
  onWarnings?(text: string): void;
}

/** A command that speaks to another host and writes a repository of ours. */
export interface TransportCommand {
  args: readonly string[];
  environment: NodeJS.ProcessEnv;
  /** Most memory of each of its processes. */
  memoryBytes: number;
  signal: AbortSignal;
  /** Told what it wrote to its standard error, once it has succeeded. */
  onWarnings?(text: string): void;
}

const stderrLimit = 4096;
const killAfterMs = 2000;
const defaultOutputLimit = 64 * 1024 * 1024;

/** Runs git: no shell, a closed environment, so many at once, so long. A command that fails throws `unavailable`. */
export class GitProgram {
  readonly #slots: Slots;
  readonly #limits: GitLimits;

  constructor(limits: GitLimits) {
    this.#slots = new Slots(limits.processes);
    this.#limits = limits;
  }

  /** The whole output; throws `too_large` when it is longer than `maxBytes`. */
  async run(command: GitCommand | TransportCommand, maxBytes = defaultOutputLimit): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of this.stream({ ...command, maxBytes })) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  /**
   * The output in pieces as they come. Leaving the loop, or the signal, ends the command. While others wait it has a slot for half a
   * second at a time: then git waits until its output is read again.
   */
  async *stream(command: GitCommand | (TransportCommand & { maxBytes?: number })): AsyncGenerator<Buffer, void, void> {
    const isReading = 'gitFolder' in command;
    const kind = isReading && command.isRetry ? 'failed' : 'new';
    const turn = await SlotTurn.begin({ slots: this.#slots, signal: command.signal, kind });
    try {
      const { seconds, silentSeconds = Infinity, outputBytes = Infinity } = this.#limits;
      yield* this.#streamNow(command, turn, {
        seconds: (isReading ? command.seconds : undefined) ?? seconds,
        silentSeconds: isReading ? (command.silentSeconds ?? silentSeconds) : Infinity,
        bytes: command.maxBytes ?? (isReading ? outputBytes : Infinity),
      });
    } finally {
      turn.end();
    }
  }

  async *#streamNow(
    command: GitCommand | TransportCommand,
    turn: SlotTurn,
    { seconds, silentSeconds, bytes }: { seconds: number; silentSeconds: number; bytes: number },
  ): AsyncGenerator<Buffer, void, void> {
    const time = new Countdown(seconds);
    const silence = new Countdown(silentSeconds);
    const running = new RunningGit(command, AbortSignal.any([command.signal, time.signal, silence.signal]));
    let left = bytes;
    try {
      for await (const piece of running.output()) {
        silence.stop();
        left -= piece.length;
        if (left < 0) throw new SextantError('too_large', 'git answered more than fits; ask for less at once');
        yield piece;
        if (turn.isOver) {
          time.stop();
          await turn.letOthers();
          time.go();
        }
        silence.restart();
      }
      await running.succeed('exits' in command && command.exits ? command.exits : [0]);
      command.onWarnings?.(running.stderr);
    } catch (error) {
      if (command.signal.aborted) throw error;
      if (time.signal.aborted) throw lateError(seconds);
      if (silence.signal.aborted) throw silentError(silentSeconds);
      throw error;
    } finally {
      time.stop();
      silence.stop();
      running.stop();
    }
  }
}

/** Whether a command ended at a limit of time, output or memory, so that asking for less may be answered. */
export const isBeyondLimits = (error: unknown): boolean =>
  isSextantError(error) &&
  (error.code === 'timeout' ||
    error.code === 'too_large' ||
    (error.cause !== undefined && lacksMemory(messageOf(error.cause))));

/** One child process from start to end. */
class RunningGit {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #ended: Promise<{ code: number | null; error?: Error }>;
  readonly #signal: AbortSignal;
  readonly #stop = (): void => this.stop();
  #stderr = '';

  constructor(command: GitCommand | TransportCommand, signal: AbortSignal) {
    this.#signal = signal;
    const [program, args] =
      'environment' in command
        ? limitedTransport(command.args, command.memoryBytes)
        : limitedGit([...readingArguments(command.gitFolder), ...command.args]);
    const child = spawn(program, args, {
      cwd: '/',
      env: 'environment' in command ? command.environment : readingEnvironment,
      stdio: ['pipe', 'pipe', 'pipe'],
      // Git may have children of its own, which must end with it: it leads a group of processes.
      detached: true,
    });
    this.#child = child;
    this.#ended = new Promise((resolve) => {
      child.once('error', (error) => resolve({ code: null, error }));
      child.once('close', (code) => resolve({ code }));
    });
    requireStarted(child);
    if ('isBackground' in command && command.isBackground) lowerPriority(child.pid);
    child.stderr.on('data', (chunk: Buffer) => {
      if (this.#stderr.length < stderrLimit) this.#stderr += chunk.toString('utf8', 0, stderrLimit);
    });
    signal.addEventListener('abort', this.#stop, { once: true });
    const input = 'input' in command && command.input ? command.input : [];
    // A command may end before it has read all: what it says of that is on its other streams.
    pipeline(input, child.stdin).catch(() => child.stdin.destroy());
    if (signal.aborted) this.stop();
  }

  async *output(): AsyncGenerator<Buffer, void, void> {
    try {
      yield* this.#child.stdout;
    } finally {
      this.#signal.throwIfAborted();
    }
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** Throws unless the process ended with one of these codes. */
  async succeed(exits: readonly number[]): Promise<void> {
    const { code, error } = await this.#ended;
    this.#signal.throwIfAborted();
    if (code !== null && exits.includes(code)) return;
    const cause = error ?? new Error(`git exited ${code}: ${this.#stderr.trim()}`);
    if (lacksMemory(this.#stderr))
      throw new SextantError(
        'unavailable',
        'git needs more memory for this repository than it may have; ask for less at once',
        {
          cause,
        },
      );
    throw new SextantError('unavailable', 'git could not read the repository; the server’s log has the details', {
      cause,
    });
  }

  /** Asks the process to end, and makes it end when it does not. */
  stop(): void {
    this.#signal.removeEventListener('abort', this.#stop);
    // Nobody reads any more; a pipe that a grandchild keeps open must not keep us waiting.
    this.#child.stdin.destroy();
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#kill('SIGTERM');
    const timer = setTimeout(() => this.#kill('SIGKILL'), killAfterMs).unref();
    this.#child.once('close', () => clearTimeout(timer));
  }

  #kill(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** If the server process may open no more files, a child has no streams, whatever its type says. */
export function requireStarted({ stdout }: { readonly stdout: Readable | undefined }): void {
  if (stdout) return;
  throw new SextantError(
    'unavailable',
    'the server has too many open files to run git; try again in a moment, or let the operator raise its limit (ulimit -n)',
  );
}

function lowerPriority(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has ended, or this system has no priorities.
  }
}

const silentError = (seconds: number): SextantError =>
  new SextantError(
    'timeout',
    `git printed nothing for ${seconds} s and was stopped; the repository or its disk may be damaged`,
  );

const lateError = (seconds: number): SextantError =>
  new SextantError('timeout', `git took longer than ${seconds} s and was stopped; ask for less at once`);

/** Aborts its signal after so many seconds, without those for which it was stopped; never where they are infinite. */
export class Countdown {
  readonly #ending = new AbortController();
  readonly #wholeMs: number;
  #leftMs: number;
  #since = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(seconds: number) {
    this.#wholeMs = seconds * 1000;
    this.#leftMs = this.#wholeMs;
    this.go();
  }

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  go(): void {
    if (!Number.isFinite(this.#leftMs)) return;
    this.#since = performance.now();
    this.#timer = setTimeout(() => this.#ending.abort(), Math.max(0, this.#leftMs));
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#leftMs -= performance.now() - this.#since;
  }

  restart(): void {
    clearTimeout(this.#timer);
    this.#leftMs = this.#wholeMs;
    this.go();
  }
}
