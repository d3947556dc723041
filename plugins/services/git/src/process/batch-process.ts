import { limitedGit, readingArguments, readingEnvironment } from './git-environment.ts';
import { launcher } from './launcher.ts';
import type { LaunchedProgram } from './launcher.ts';

/** Git's answer for one name: the object, or why there is none. */
export type ObjectAnswer =
  | { id: string; type: string; size: number; content: Buffer | undefined }
  | { refusal: 'missing' | 'ambiguous' };

/** The process ended before it answered: killed, or killed by what it read. */
export class BatchProcessEnded extends Error {
  override readonly name = 'BatchProcessEnded';
}

/** The process wrote nothing for a long time while somebody waited. */
export class BatchProcessSilent extends BatchProcessEnded {}

interface Request {
  /** Most bytes of content; undefined where none is asked for. */
  readonly maxBytes: number | undefined;
  resolve(answer: ObjectAnswer): void;
  reject(error: unknown): void;
}

const newline = 10;
/** Of the line that git writes before an object. */
const mostOfHeader = 4096;

/** One `git cat-file --batch-command`: answers in the order of the questions. Nobody's cancellation disturbs it. */
export class BatchProcess {
  readonly #requests: Request[] = [];
  /** Undefined until it is started. */
  #program: LaunchedProgram | undefined;
  /** Questions that were asked before. */
  #early = '';
  #chunks: Buffer[] = [];
  #length = 0;
  #header: { id: string; type: string; size: number } | undefined;
  #watch: NodeJS.Timeout | undefined;
  #stderr = '';
  #isClosing = false;
  #hasEnded = false;
  readonly #silentSeconds: number;
  readonly #onEnd: () => void;

  constructor(gitFolder: string, { silentSeconds, onEnd }: { silentSeconds: number; onEnd(): void }) {
    [this.#silentSeconds, this.#onEnd] = [silentSeconds, onEnd];
    void this.#start(gitFolder);
  }

  async #start(gitFolder: string): Promise<void> {
    const [program, args] = limitedGit([...readingArguments(gitFolder), 'cat-file', '--batch-command']);
    try {
      const launched = await launcher.launch({ program, args, env: readingEnvironment, isBackground: false });
      this.#program = launched;
      void launched.ended.then(({ code, signal, error }) =>
        this.#fail(error?.message ?? `git cat-file ended (${code ?? signal}): ${this.#stderr.trim()}`),
      );
      launched.stdout.on('data', (chunk: Buffer) => this.#receive(chunk));
      launched.stderr.on('data', (chunk: Buffer) => (this.#stderr = `${this.#stderr}${chunk}`.slice(-1000)));
      launched.stdin.write(this.#early);
      this.#early = '';
      if (this.#isClosing) launched.stdin.end();
      if (this.#hasEnded) launched.kill('SIGKILL');
    } catch (error) {
      this.#fail(error);
    }
  }

  get isBusy(): boolean {
    return this.#requests.length > 0;
  }

  /** What a name stands for. The name must have no line ends. Its content is included if a limit of bytes is given. */
  ask(name: string, maxBytes?: number): Promise<ObjectAnswer> {
    if (this.#hasEnded) return Promise.reject(new BatchProcessEnded('git cat-file has ended'));
    return new Promise((resolve, reject) => {
      this.#requests.push({ maxBytes, resolve, reject });
      this.#write(`${maxBytes === undefined ? 'info' : 'contents'} ${name}\n`);
      this.#watchSilence();
    });
  }

  /** The same of many, without content: they are written at once. */
  async askAll(names: readonly string[]): Promise<ObjectAnswer[]> {
    this.#program?.stdin.cork();
    const answers = names.map((name) => this.ask(name));
    this.#program?.stdin.uncork();
    return Promise.all(answers);
  }

  #write(question: string): void {
    if (this.#program) this.#program.stdin.write(question);
    else this.#early += question;
  }

  /** Lets it answer what it was asked, and end. */
  close(): void {
    this.#isClosing = true;
    this.#program?.stdin.end();
  }

  kill(reason = new BatchProcessEnded('git cat-file was ended')): void {
    this.#fail(reason);
    this.#program?.kill('SIGKILL');
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
    this.#fail('git cat-file wrote what it was not asked for');
    this.kill();
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
    if (!this.isBusy) return;
    const silent = new BatchProcessSilent(`git cat-file wrote nothing for ${this.#silentSeconds} s`);
    this.#watch = setTimeout(() => this.kill(silent), 1000 * this.#silentSeconds).unref();
  }

  #fail(reason: unknown): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#watch);
    this.#onEnd();
    const error = typeof reason === 'string' ? new BatchProcessEnded(reason) : reason;
    for (const request of this.#requests.splice(0)) request.reject(error);
  }
}
