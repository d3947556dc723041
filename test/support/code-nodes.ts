import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Machines } from './machines.ts';
import { runSextant, startSextant, wholeProcessorSeconds } from './processes.ts';
import type { Started } from './processes.ts';

const bin = fileURLToPath(new URL('../../host/bin/sextant.js', import.meta.url));

export interface CodeNodesOptions {
  readonly folder: string;
  /** A folder with the repositories that are served. */
  readonly repositories: string;
  /** Names of those that each owner clones, `NAME.git` in that folder; absent: all are read where they stand. */
  readonly cloned?: readonly string[];
  /** Settings of service-postgres, which then knows the nodes; absent: the configuration lists them. */
  readonly database?: object;
  /** Folder of one more repository, `hidden`, which only administrators may read. */
  readonly hidden?: string;
  /** Each node runs on a machine of its own; absent: all are on this one. */
  readonly machines?: Machines | undefined;
}

/** Where a node listens for hosts on a machine of its own. */
const portOfNodes = 7090;

/** Seconds after which a node of the database is lost. */
const lostSeconds = 5;

/** A cluster: nodes and a host, each a process with data of its own. */
export class CodeNodes implements AsyncDisposable {
  readonly #folder: string;
  readonly #repositories: readonly object[];
  readonly #database: object | undefined;
  readonly #running = new Map<string, { child: ChildProcess; url: string }>();
  readonly #ports = new Map<string, number>();
  readonly #callerKey: string;
  readonly #machines: Machines | undefined;
  readonly #tls: object | undefined;

  constructor({ folder, repositories, cloned, database, hidden, machines }: CodeNodesOptions) {
    this.#folder = folder;
    const open = cloned?.map((name) => ({ name, url: `file://${join(repositories, `${name}.git`)}` })) ?? [
      { path: repositories },
    ];
    this.#repositories = [...open, ...(hidden === undefined ? [] : [{ name: 'hidden', path: hidden, access: {} }])];
    this.#database = database;
    this.#machines = machines;
    this.#tls = machines?.writeCertificate(folder);
    const { privateKey } = generateKeyPairSync('ed25519');
    this.#callerKey = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
  }

  /** The nodes of the configuration, which running nodes and hosts put into force by themselves. */
  async configure(names: readonly string[]): Promise<void> {
    for (const name of names) if (!this.#ports.has(name)) this.#ports.set(name, await freePort());
    const nodes = names.map((name) => ({ name, url: this.#urlOf(name) }));
    for (const name of [...names, 'host']) {
      // On one machine each node has a port of its own.
      const known = this.#database ? { nodeURL: this.#urlOf(name), lostSeconds } : { nodes };
      const configuration = {
        logLevel: 'error',
        repositories: this.#repositories,
        cluster: {
          ...known,
          copies: 2,
          graceSeconds: 1,
          callerKey: this.#callerKey,
          ...(this.#tls && { tls: this.#tls }),
        },
        ...(this.#database && { plugins: { 'service-sqlite': false, 'service-postgres': this.#database } }),
      };
      writeFileSync(this.#configOf(name), JSON.stringify(configuration));
    }
  }

  #urlOf(name: string): string {
    if (this.#machines) return `https://${this.#machines.of(name).address}:${portOfNodes}`;
    return `http://127.0.0.1:${this.#ports.get(name) ?? 9}`;
  }

  #configOf(name: string): string {
    return join(this.#folder, `${name}.config.json`);
  }

  /** Resolves when the node serves all that it owns. */
  async start(name: string): Promise<void> {
    const port = await freePort();
    const log = openSync(join(this.#folder, `${name}.log`), 'a');
    const options = [
      '--config',
      this.#configOf(name),
      '--data',
      join(this.#folder, `data-${name}`),
      '--port',
      String(port),
    ];
    const { address = '127.0.0.1', command = [] } = this.#machines?.of(name) ?? {};
    const serve = [bin, 'serve', '--role', 'node', '--node', name, '--host', address, ...options];
    const [program = '', ...args] = [...command, process.execPath, ...serve];
    const child = spawn(program, args, { stdio: ['ignore', log, log] });
    closeSync(log);
    const url = `http://${address}:${port}`;
    this.#running.set(name, { child, url });
    await until(async () => (await fetch(`${url}/readyz`)).status === 200);
  }

  /** Runs another command of the program on the host, and returns what it prints. */
  runOnHost(...command: readonly string[]): string {
    return runSextant([...command, ...this.#hostFlags]);
  }

  /** The folders of the clones that a node has. */
  clonesOf(name: string): string[] {
    const clones = join(this.#folder, `data-${name}`, 'clones');
    const names = existsSync(clones) ? readdirSync(clones) : [];
    return names.flatMap((each) => (/^[0-9a-f]{32}$/.test(each) ? join(clones, each) : []));
  }

  startHost(): Promise<Started> {
    return startSextant(['--role', 'host', ...this.#hostFlags]);
  }

  get #hostFlags(): string[] {
    return ['--config', this.#configOf('host'), '--data', join(this.#folder, 'data-host')];
  }

  /** Processor time that the running nodes have used so far, in seconds. */
  processorSeconds(): number {
    const used = [...this.#running.values()].map(({ child }) => wholeProcessorSeconds({ process: child }));
    return used.reduce((sum, each) => sum + each, 0);
  }

  signal(name: string, signal: NodeJS.Signals): void {
    this.#running.get(name)?.child.kill(signal);
  }

  async kill(name: string): Promise<void> {
    const child = this.#running.get(name)?.child;
    this.#running.delete(name);
    if (!child) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#running.keys()].map((name) => this.kill(name)));
  }
}

/** How many calls of nodes a host has made. */
export async function callsOfNodes({ url, token }: Pick<Started, 'url' | 'token'>): Promise<number> {
  const text = await (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text();
  const counted = text.matchAll(/^sextant_plugin_service_code_nodes_calls_total\{.*\} (\d+)$/gm);
  return [...counted].reduce((sum, [, calls]) => sum + Number(calls), 0);
}

/** Waits for what happens by itself; whoever runs this ends it when it takes too long. */
export async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue().catch(() => false))) await setTimeout(100);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
