import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** A machine with a network of its own. */
interface Machine {
  /** Its address, and that of this machine, on the line between both. */
  readonly address: string;
  readonly here: string;
  /** What comes before a command that runs there. */
  readonly command: readonly string[];
}

const ip = (...args: readonly string[]): void => void execFileSync('ip', args, { stdio: 'pipe' });

/** Machines that one certificate names. */
const mostMachines = 16;

/**
 * Machines in place of which each has a network namespace of Linux, and a pair of virtual interfaces that joins it to
 * this one. Needs root, and `ip` and `openssl`.
 */
export class Machines implements Disposable {
  readonly #made = new Map<string, Machine>();
  /** Of addresses that RFC 2544 keeps for measuring. */
  readonly #network = `198.18.${process.pid % 256}`;

  /** Why this process may make none; undefined where it may. */
  static problem(): string | undefined {
    const name = `sextant-${process.pid}`;
    const { status, stderr, error } = spawnSync('ip', ['netns', 'add', name], { encoding: 'utf8' });
    if (status !== 0) return error?.message ?? stderr.trim();
    ip('netns', 'del', name);
    return undefined;
  }

  of(name: string): Machine {
    const known = this.#made.get(name);
    if (known) return known;
    const number = this.#made.size;
    const [space, line] = [this.#space(name), `sx${process.pid}n${number}`];
    const [here, address] = this.#addresses(number);
    ip('netns', 'add', space);
    const machine = { address, here, command: ['ip', 'netns', 'exec', space] };
    this.#made.set(name, machine);
    ip('link', 'add', line, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', space);
    ip('addr', 'add', `${here}/30`, 'dev', line);
    ip('link', 'set', line, 'up');
    ip('-n', space, 'addr', 'add', `${address}/30`, 'dev', 'eth0');
    for (const device of ['lo', 'eth0']) ip('-n', space, 'link', 'set', device, 'up');
    return machine;
  }

  /** From now on nothing that it sends arrives, and nobody is told: not even that it refuses. */
  cutOff(name: string): void {
    ip('-n', this.#space(name), 'route', 'add', 'blackhole', `${this.of(name).here}/32`);
  }

  join(name: string): void {
    ip('-n', this.#space(name), 'route', 'del', 'blackhole', `${this.of(name).here}/32`);
  }

  /** Writes a certificate for all of them, which is its own authority; answers the settings of `cluster.tls`. */
  writeCertificate(folder: string): { authority: string; certificate: string; key: string } {
    const [certificate, key] = [join(folder, 'nodes.pem'), join(folder, 'nodes.key')];
    const addresses = Array.from({ length: mostMachines }, (_, number) => `IP:${this.#addresses(number)[1]}`);
    const subject = ['-subj', '/CN=nodes', '-addext', `subjectAltName=${addresses.join(',')}`];
    const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
    execFileSync('openssl', ['req', ...kind, ...subject, '-keyout', key, '-out', certificate], { stdio: 'pipe' });
    return { authority: certificate, certificate, key };
  }

  [Symbol.dispose](): void {
    // The pairs of interfaces go with them.
    for (const name of this.#made.keys()) ip('netns', 'del', this.#space(name));
  }

  #space(name: string): string {
    return `sextant-${process.pid}-${name}`;
  }

  /** That of this machine, and that of the other. */
  #addresses(number: number): [string, string] {
    return [`${this.#network}.${4 * number + 1}`, `${this.#network}.${4 * number + 2}`];
  }
}
