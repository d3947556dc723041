import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Server } from 'node:https';
import { createSecureContext } from 'node:tls';
import { SextantError, messageOf } from '@sextant/core';
import type { Logger } from '@sextant/core';
import { watchFile } from '../../plugins/watch-file.ts';
import type { Serving } from '../../server/generation.ts';
import type { HostSettings } from '../../server/settings.ts';

/** Where the certificate stands; relative paths begin at `folder`. */
export interface CertificateFiles {
  readonly files: NonNullable<HostSettings['tls']>;
  readonly folder: string;
}

/** A certificate with those that vouch for it, and its private key, as PEM (RFC 7468). */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export const certificatePaths = ({ files, folder }: CertificateFiles): string[] =>
  [files.certificate, files.key].map((path) => resolve(folder, path));

/** Throws `invalid_argument` for files that cannot be read, hold no certificate or key, or do not belong together. */
export async function readCertificate(place: CertificateFiles): Promise<Certificate> {
  const [certificate = '', privateKey = ''] = certificatePaths(place);
  const cert = await readPem(certificate);
  const key = await readPem(privateKey);
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw new SextantError(
      'invalid_argument',
      `tls: ${place.files.certificate} and ${place.files.key} are no certificate and its key in PEM form: ${messageOf(error)}`,
      { cause: error },
    );
  }
  return { cert, key };
}

const dayMs = 86_400_000;
const soonDays = 14;

/** When a certificate ends, and whether that is over or near. */
export function endOf({ cert }: Pick<Certificate, 'cert'>): { on: string; state: 'ended' | 'ends' | 'holds' } {
  const end = new Date(new X509Certificate(cert).validTo);
  const days = (end.getTime() - Date.now()) / dayMs;
  return { on: end.toISOString().slice(0, 10), state: days < 0 ? 'ended' : days < soonDays ? 'ends' : 'holds' };
}

const readPem = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch((error: unknown) => {
    throw new SextantError('invalid_argument', `tls: ${path} cannot be read: ${messageOf(error)}`, { cause: error });
  });

export interface RenewalOptions {
  readonly serving: Serving;
  readonly folder: string;
  readonly log: Logger;
}

/** Keeps a server's certificate as its files are: they are renewed every few weeks, mostly by another program. */
export class RenewedCertificate {
  readonly #server: Server;
  readonly #options: RenewalOptions;
  #watched = '';
  #daily: NodeJS.Timeout | undefined;
  #stops: readonly (() => void)[] = [];

  constructor(server: Server, options: RenewalOptions) {
    this.#server = server;
    this.#options = options;
  }

  /** Watches the files that the configuration in force names; others are read at once. */
  async follow(): Promise<void> {
    this.#daily ??= setInterval(() => void this.#warn(), dayMs).unref();
    await this.#follow();
    await this.#warn();
  }

  async #follow(): Promise<void> {
    const { serving, folder, log } = this.#options;
    const files = serving.current.settings.tls;
    if (!files) return log.warn({}, 'http instead of https is in force at the next start');
    const paths = certificatePaths({ files, folder });
    if (paths.join('\0') === this.#watched) return;
    this.#unwatch();
    if (this.#watched !== '') await this.#renew();
    this.#watched = paths.join('\0');
    this.#stops = await Promise.all(paths.map((path) => watchFile(path, () => void this.#renew())));
  }

  close(): void {
    clearInterval(this.#daily);
    this.#daily = undefined;
    this.#unwatch();
  }

  #unwatch(): void {
    for (const stop of this.#stops) stop();
  }

  async #renew(): Promise<void> {
    const { serving, folder, log } = this.#options;
    const files = serving.current.settings.tls;
    if (!files) return;
    try {
      this.#server.setSecureContext(await readCertificate({ files, folder }));
      log.info({ certificate: files.certificate }, 'another certificate is in force');
      await this.#warn();
    } catch (error) {
      // One of the two files may be written after the other.
      log.error({}, `the certificate as it stands is not in force, the one before goes on: ${messageOf(error)}`);
    }
  }

  async #warn(): Promise<void> {
    const { serving, folder, log } = this.#options;
    const files = serving.current.settings.tls;
    const certificate = files && (await readCertificate({ files, folder }).catch(() => undefined));
    if (!files || !certificate) return;
    const { on, state } = endOf(certificate);
    if (state !== 'holds') log.warn({}, `the certificate ${files.certificate} ${state} on ${on}; renew it`);
  }
}
