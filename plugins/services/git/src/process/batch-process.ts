import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { readingArguments, readingEnvironment } from './git-environment.ts';
import { requireStarted } from './git-process.ts';
import { limitedGit } from './git-environment.ts';

/** Git's answer for one name: the object, or why there is none. */
export type ObjectAnswer =
  | { id: string; type: string; size: number; content: Buffer | undefined }
  | { refusal: 'missing' | 'ambiguous' };

/** The process ended before it answered: killed, or killed by what it read. */
export class BatchProcessEnded extends Error {
  override readonly name = 'BatchProcessEnded';
}

interface Request {
  /** Most bytes of content; undefined where none is asked for. */
  readonly maxBytes: number | undefined;
  resolve(answer: ObjectAnswer): void;
  reject(error: Error): void;
}

const newline = 10;
const silenceLimitMs = 30_000;
/** Of the line that git writes before an object. */
const mostOfHeader = 4096;

/** One `git cat-file --batch-command`: answers in the order of the questions. Nobody's cancellation disturbs it. */
export class BatchProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #requests: Request[] = [];
  #chunks: Buffer[] = [];
  #length = 0;
  #header: { id: string; type: string; size: number } | undefined;
  #watch: NodeJS.Timeout | undefined;
  #stderr = '';
  #hasEnded = false;
  readonly #onEnd: () => void;

  constructor(gitFolder: string, onEnd: () => void) {
    const args = [...readingArguments(gitFolder), 'cat-file', '--batch-command'];
    const [program, limited] = limitedGit(args);
    this.#child = spawn(program, limited, { cwd: '/', env: readingEnvironment, stdio: ['pipe', 'pipe', 'pipe'] });
    this.#onEnd = onEnd;
    const end = (reason: string): void => this.#fail(reason);
    this.#child.once('error', (error) => end(error.message));
    this.#child.once('close', (code, signal) => end(`git cat-file ended (${code ?? signal}): ${this.#stderr.trim()}`));
    requireStarted(this.#child);
    this.#child.stdout.on('data', (chunk: Buffer) => this.#receive(chunk));
    this.#child.stderr.on('data', (chunk: Buffer) => (this.#stderr = `${this.#stderr}${chunk}`.slice(-1000)));
    // Writing to a process that has ended: its end is what is reported.
    this.#child.stdin.on('error', () => undefined);
  }

  get isBusy(): boolean {
    return this.#requests.length > 0;
  }

  /** What a name stands for. The name must have no line ends. Its content is included if a limit of bytes is given. */
  ask(name: string, maxBytes?: number): Promise<ObjectAnswer> {
    if (this.#hasEnded) return Promise.reject(new BatchProcessEnded('git cat-file has ended'));
    return new Promise((resolve, reject) => {
      this.#requests.push({ maxBytes, resolve, reject });
      this.#child.stdin.write(`${maxBytes === undefined ? 'info' : 'contents'} ${name}\n`);
      this.#watchSilence();
    });
  }

  /** The same of many, without content: they are written at once. */
  async askAll(names: readonly string[]): Promise<ObjectAnswer[]> {
    this.#child.stdin.cork();
    const answers = names.map((name) => this.ask(name));
    this.#child.stdin.uncork();
    return Promise.all(answers);
  }

  /** Lets it answer what it was asked, and end. */
  close(): void {
    this.#child.stdin.end();
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  #receive(chunk: Buffer): void {
    if (this.#hasEnded) return;
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    while (this.#header ? this.#takeContent(this.#header) : this.#takeHeader());
    this.#watchSilence();
  }

  #takeHeader(): boolean {
    const bytes = this.#joined();
    const end = bytes.indexOf(newline);
    const request = this.#requests[0];
    // Output that nobody asked for. A damaged object may be longer than it says, and its rest could pass for the next
    // answer.
    if (bytes.length > 0 && (!request || (end < 0 && bytes.length > mostOfHeader))) this.#disbelieve();
    if (end < 0 || !request || this.#hasEnded) return false;
    const [id = '', type = '', size] = bytes.toString('latin1', 0, end).split(' ');
    this.#keep(bytes.subarray(end + 1));
    if (size === undefined) this.#answer({ refusal: type === 'ambiguous' ? 'ambiguous' : 'missing' });
    else if (request.maxBytes !== undefined) this.#begin({ id, type, size: Number(size) }, request.maxBytes);
    else this.#answer({ id, type, size: Number(size), content: undefined });
    return true;
  }

  #begin(header: { id: string; type: string; size: number }, maxBytes: number): void {
    // It was smaller when it was asked for.
    if (header.size > maxBytes) this.#disbelieve();
    else this.#header = header;
  }

  /** Ends a process whose answers are not those to the questions; whoever waits is told. */
  #disbelieve(): void {
    this.kill();
    this.#fail('git cat-file wrote what it was not asked for');
    this.#keep(Buffer.alloc(0));
  }

  #takeContent(header: { id: string; type: string; size: number }): boolean {
    if (this.#length < header.size + 1) return false;
    const bytes = this.#joined();
    this.#header = undefined;
    this.#keep(bytes.subarray(header.size + 1));
    this.#answer({ ...header, content: bytes.subarray(0, header.size) });
    return true;
  }

  #joined(): Buffer {
    const [only] = this.#chunks;
    if (only && this.#chunks.length === 1) return only;
    const bytes = Buffer.concat(this.#chunks, this.#length);
    this.#keep(bytes);
    return bytes;
  }

  #keep(bytes: Buffer): void {
    this.#chunks = bytes.length > 0 ? [bytes] : [];
    this.#length = bytes.length;
  }

  #answer(answer: ObjectAnswer): void {
    this.#requests.shift()?.resolve(answer);
  }

  /** A process that says nothing while someone waits is stuck (on a dead disk, say): nobody shall wait for ever. */
  #watchSilence(): void {
    clearTimeout(this.#watch);
    if (this.isBusy) this.#watch = setTimeout(() => this.kill(), silenceLimitMs).unref();
  }

  #fail(reason: string): void {
    this.#hasEnded = true;
    clearTimeout(this.#watch);
    this.#onEnd();
    for (const request of this.#requests.splice(0)) request.reject(new BatchProcessEnded(reason));
  }
}
