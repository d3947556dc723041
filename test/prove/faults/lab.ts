import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RepositoryBuilder } from '@sextant/contracts/testing';
import { startSextant } from '../../support/processes.ts';
import type { ProcessOptions, Started } from '../../support/processes.ts';
import { call, post } from '../../support/rpc.ts';

const bin = fileURLToPath(new URL('../../../host/bin/sextant.js', import.meta.url));

/** A server that does not refuse runs until then. */
const refusalMs = 60_000;

/** The three places that must name the cause of a fault. */
export interface Places {
  answer(): Promise<string>;
  log(): Promise<string>;
  administration(): Promise<string>;
}

export interface Fault {
  readonly name: string;
  /** What each of the three places must say. */
  readonly cause: RegExp;
  /** Where a place need not say so: what it must say instead. */
  readonly instead?: Partial<Record<keyof Places, RegExp>>;
  make(lab: Lab): Promise<Places>;
}

/** The folder, servers and mounts of one fault. All of it is gone when the fault was looked at. */
export class Lab implements AsyncDisposable {
  readonly folder: string;
  readonly #ends: (() => unknown)[] = [];

  constructor(folder: string) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  path(...parts: readonly string[]): string {
    return join(this.folder, ...parts);
  }

  /** Done when the fault was looked at, the last first. */
  whenOver(end: () => unknown): void {
    this.#ends.unshift(end);
  }

  /** A bare repository, with so much text that does not compress beside its needle. */
  repository(kilobytes = 0, name = 'shop'): RepositoryBuilder {
    const shop = new RepositoryBuilder({ folder: this.path('git', `${name}.git`), isBare: true });
    const noise = Array.from({ length: Math.ceil(kilobytes / 64) }, (_, file) => [
      `noise/${file}.txt`,
      randomBytes(48 * 1024)
        .toString('base64')
        .replaceAll(/.{64}/g, '$&\n'),
    ]);
    shop.commit({ files: { 'a.ts': 'export const needle = 1;\n', ...Object.fromEntries(noise) } });
    return shop;
  }

  /** Writes the configuration. By default it serves what is in `git`. */
  configure(keys: object = {}): void {
    const config = { repositories: [{ path: this.path('git') }], logLevel: 'info', ...keys };
    writeFileSync(this.path('sextant.config.json'), JSON.stringify(config));
  }

  /** A file system in memory in the place of the data folder. */
  disk(options: string): string {
    const folder = this.path('data');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    execFileSync('mount', ['-t', 'tmpfs', '-o', `mode=700,${options}`, 'sextant-faults', folder]);
    this.whenOver(() => execFileSync('umount', ['--lazy', folder]));
    return folder;
  }

  /** A real file system in the place of the data folder, which becomes read-only as after an error of its disk. */
  failingDisk(): () => void {
    const [folder, image] = [this.path('data'), this.path('image')];
    mkdirSync(folder);
    execFileSync('truncate', ['--size=128M', image]);
    execFileSync('mkfs.ext4', ['-q', image]);
    execFileSync('mount', ['-o', 'loop,errors=remount-ro', image, folder]);
    this.whenOver(() => execFileSync('umount', [folder]));
    chmodSync(folder, 0o700);
    const device = execFileSync('findmnt', ['-n', '-o', 'SOURCE', folder], { encoding: 'utf8' }).trim();
    return () => writeFileSync(`/sys/fs/ext4/${basename(device)}/trigger_fs_error`, '1');
  }

  get flags(): string[] {
    return ['--config', this.path('sextant.config.json'), '--data', this.path('data')];
  }

  /** A second start needs the token of the first. */
  async start({ limits = '', ...options }: ProcessOptions = {}, token = ''): Promise<Served> {
    const log = this.path('log');
    const own = `exec 2>>${log}\ncd ${this.folder}\n${limits}`;
    const started = await startSextant(this.flags, { limits: own, ...options });
    this.whenOver(() => started.stop());
    return new Served(this, { ...started, token: started.token || token });
  }

  /** What a command says, with its code. */
  run(command: readonly string[], limits = ''): string {
    const script = `cd ${this.folder}\n${limits}\nexec "$@"`;
    const args = ['-c', script, 'sh', process.execPath, bin, ...command, ...this.flags];
    const { status, stdout, stderr } = spawnSync('/bin/sh', args, { encoding: 'utf8', timeout: refusalMs });
    return `${stdout}${stderr}exit ${status}`;
  }

  /** Places of a server that must refuse to start: the last two are the log of the attempt, and the doctor. */
  refusal(limits = '', administration = ['doctor']): Places {
    const said = this.run(['serve'], limits);
    return {
      answer: async () => (said.endsWith('exit 1') ? said : `it did not refuse: ${said}`),
      log: async () => said,
      administration: async () => this.run(administration, limits),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const end of this.#ends) await end();
  }
}

/** A running server, and where it tells of itself. */
export class Served implements Places {
  readonly #lab: Lab;
  readonly started: Started;
  /** The call that meets the fault. */
  asks: () => Promise<string> = () => this.call('keyword_search', { query: 'needle' });

  constructor(lab: Lab, started: Started) {
    this.#lab = lab;
    this.started = started;
  }

  get token(): string {
    return this.started.token;
  }

  answer(): Promise<string> {
    return this.asks();
  }

  /** Text of a tool's answer. */
  async call(tool: string, args: object): Promise<string> {
    try {
      const { url, token } = this.started;
      const signal = AbortSignal.timeout(60_000);
      const response = await post(url, call(tool, args), { path: '/.api/mcp/all', token, signal });
      const text = await response.text();
      const { result } = JSON.parse(text) as { result?: { content?: { text?: string }[] } };
      return result?.content?.map((part) => part.text).join('\n') ?? text;
    } catch (error) {
      return `${String(error)} ${String((error as Error).cause ?? '')}`;
    }
  }

  /** Lines of the log that speak of trouble, and what is no line of the log at all. */
  async log(): Promise<string> {
    const file = this.#lab.path('log');
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
    return lines
      .filter((line) => !line.startsWith('{"level":"info"'))
      .map(logged)
      .join('\n');
  }

  /** What an administrator sees. */
  async administration(): Promise<string> {
    const paths = ['/site-admin', '/site-admin/repositories', '/site-admin/plugins'];
    const pages: string[] = [];
    // One after the other, over one connection: there may be no descriptor for another.
    for (const path of paths) pages.push(await this.page(path));
    return pages.join('\n');
  }

  /** What failed, as a program of the operator reads it. */
  async readiness(): Promise<string> {
    const headers = { authorization: `Bearer ${this.token}` };
    const answer = await fetch(`${this.started.url}/readyz`, { headers }).then((response) => response.text(), String);
    return answer.replaceAll(/\{/g, '\n{');
  }

  /** Text of a page, a line for each block. */
  async page(path: string): Promise<string> {
    const { url, token } = this.started;
    const headers = { authorization: `Bearer ${token}`, accept: 'text/html' };
    const response = await fetch(url + path, {
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(30_000),
    }).catch((error: Error) => `${String(error)} ${String(error.cause ?? '')}`);
    if (typeof response === 'string') return response;
    const html = await response.text();
    return html
      .replaceAll(/<(head|script|style|nav|header|footer|details)\b[^]*?<\/\1>/g, '')
      .replaceAll(/\s+/g, ' ')
      .replaceAll(/<\/(p|div|tr|li|dd|h\d|section)>/g, '\n')
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/&#39;|&#x27;/g, "'")
      .replaceAll('&quot;', '"')
      .replaceAll(/&lt;/g, '<')
      .replaceAll(/&gt;/g, '>')
      .replaceAll('&amp;', '&');
  }

  async untilReady(): Promise<void> {
    await until(async () => (await fetch(`${this.started.url}/readyz`)).status === 200);
  }
}

/** Waits for what must come; whoever waits a minute in vain sees what is there. */
export async function until(comes: () => Promise<boolean>, seconds = 60): Promise<void> {
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    if (await comes().catch(() => false)) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

function logged(line: string): string {
  if (!line.startsWith('{')) return line;
  const { msg, reason, err, repository, source, plugin } = JSON.parse(line) as Record<string, unknown>;
  const cause = (err as { message?: string } | undefined)?.message;
  const about = [repository, source, plugin].find((each) => each !== undefined);
  return [about, msg, reason, cause].filter((each) => each !== undefined).join(': ');
}
