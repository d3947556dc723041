import { pipeline } from 'node:stream/promises';
import { SextantError, isSextantError, joinSignals, messageOf } from '@sextant/core';
import { lacksMemory, limitedGit, limitedTransport, readingArguments, readingEnvironment } from './git-environment.ts';
import { launcher } from './launcher.ts';
import type { LaunchedProgram } from './launcher.ts';
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
  /** Told each line of its standard error that may tell of progress: such a line is not kept. Answers whether it does. */
  onProgress?(line: string): boolean;
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
    const signal = joinSignals(command.signal, time.signal, silence.signal);
    let running: RunningGit | undefined;
    let left = bytes;
    try {
      running = await RunningGit.start(command, signal);
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
      running?.stop();
    }
  }
}

/** Whether a command ended at a limit of time, output or memory, so that asking for less may be answered. */
export const isBeyondLimits = (error: unknown): boolean =>
  isSextantError(error) &&
  (error.code === 'timeout' ||
    error.code === 'too_large' ||
    (error.cause !== undefined && lacksMemory(messageOf(error.cause))));

/** One command from start to end. */
class RunningGit {
  readonly #program: LaunchedProgram;
  readonly #signal: AbortSignal;
  readonly #stop = (): void => this.stop();
  #hasEnded = false;
  #stderr = '';
  /** A line that has not ended yet, where it may be one of progress. */
  #begun = '';

  static async start(command: GitCommand | TransportCommand, signal: AbortSignal): Promise<RunningGit> {
    signal.throwIfAborted();
    const [program, args] =
      'environment' in command
        ? limitedTransport(command.args, command.memoryBytes)
        : limitedGit([...readingArguments(command.gitFolder), ...command.args]);
    const env = 'environment' in command ? command.environment : readingEnvironment;
    const isBackground = 'isBackground' in command && command.isBackground === true;
    return new RunningGit(command, await launcher.launch({ program, args, env, isBackground }), signal);
  }

  private constructor(command: GitCommand | TransportCommand, program: LaunchedProgram, signal: AbortSignal) {
    [this.#program, this.#signal] = [program, signal];
    void program.ended.then(() => (this.#hasEnded = true));
    const isProgress = ('environment' in command && command.onProgress) || undefined;
    program.stderr.on('data', (chunk: Buffer) => this.#hear(chunk.toString('utf8'), isProgress));
    signal.addEventListener('abort', this.#stop, { once: true });
    const input = 'input' in command && command.input ? command.input : [];
    // A command may end before it has read all: what it says of that is on its other streams.
    pipeline(input, program.stdin).catch(() => program.stdin.destroy());
    if (signal.aborted) this.stop();
  }

  /** Lines of progress end with a carriage return, each in place of the one before. */
  #hear(text: string, isProgress: ((line: string) => boolean) | undefined): void {
    if (!isProgress) return this.#keep(text);
    const lines = (this.#begun + text).split(/(?<=[\r\n])/);
    const last = lines.at(-1) ?? '';
    // What never ends is no line.
    const isEnded = /[\r\n]$/.test(last) || last.length > stderrLimit;
    this.#begun = isEnded ? '' : (lines.pop() ?? '');
    for (const line of lines) if (!isProgress(line.trimEnd())) this.#keep(line);
  }

  #keep(text: string): void {
    if (this.#stderr.length < stderrLimit) this.#stderr += text.slice(0, stderrLimit);
  }

  async *output(): AsyncGenerator<Buffer, void, void> {
    try {
      yield* this.#program.stdout;
    } finally {
      this.#signal.throwIfAborted();
    }
  }

  get stderr(): string {
    return this.#stderr + this.#begun;
  }

  /** Throws unless the process ended with one of these codes. */
  async succeed(exits: readonly number[]): Promise<void> {
    const { code, error } = await this.#program.ended;
    this.#signal.throwIfAborted();
    if (code !== null && exits.includes(code)) return;
    const cause = error ?? new Error(`git exited ${code}: ${this.stderr.trim()}`);
    if (lacksMemory(this.stderr))
      throw new SextantError(
        'unavailable',
        'git needs more memory for this repository than it may have; ask for less at once',
        {
          cause,
        },
      );
    throw new SextantError('unavailable', unreadable(this.stderr), { cause });
  }

  /** Asks the processes to end, and makes them end when they do not. */
  stop(): void {
    this.#signal.removeEventListener('abort', this.#stop);
    const { stdin, stdout, stderr, ended } = this.#program;
    // Nobody reads any more; a stream that a grandchild keeps open must not keep us waiting.
    stdin.destroy();
    stdout.destroy();
    stderr.destroy();
    if (this.#hasEnded) return;
    this.#program.kill('SIGTERM');
    const timer = setTimeout(() => this.#program.kill('SIGKILL'), killAfterMs).unref();
    void ended.then(() => clearTimeout(timer));
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

/** Says which object git could not read, if it was one. */
function unreadable(stderr: string): string {
  const [, object] = /\bunable to read\b.*?\b([0-9a-f]{40,64})\b/.exec(stderr) ?? [];
  return object === undefined
    ? 'git could not read the repository; the server’s log has the details'
    : `git could not read the object ${object}; the repository is damaged or a partial clone, and "git fsck" names all that is missing`;
}
