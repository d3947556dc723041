import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startServer } from './support/server.ts';

const settings = { tls: { certificate: 'server.pem', key: 'server.key' } };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sextant-tls-'));
  makeCertificate('server', 'first');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Writes NAME.pem and NAME.key for 127.0.0.1, signed by itself. */
function makeCertificate(name: string, organization: string): void {
  const subject = ['-subj', `/O=${organization}/CN=127.0.0.1`, '-addext', 'subjectAltName=IP:127.0.0.1'];
  const files = ['-keyout', join(folder, `${name}.key`), '-out', join(folder, `${name}.pem`)];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  execFileSync('openssl', ['req', ...kind, ...subject, ...files], { stdio: 'pipe' });
}

/** What a client sees that trusts the certificate in `trusted`. */
async function look(url: string, trusted: string): Promise<{ status: number | undefined; organization: unknown }> {
  const ca = await readFile(join(folder, trusted), 'utf8');
  const [response] = await once(get(`${url}/healthz`, { ca, agent: false }), 'response');
  response.resume();
  const socket: TLSSocket = response.socket;
  return { status: response.statusCode, organization: socket.getPeerCertificate().subject.O };
}

test('with tls the server speaks https, and a client that trusts the certificate reaches it', async () => {
  await using server = await startServer({ settings, folder });
  expect(server.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  expect(await look(server.url, 'server.pem')).toEqual({ status: 200, organization: 'first' });
  await expect(fetch(server.url.replace('https', 'http'))).rejects.toThrow('fetch failed');
});

test('a renewed certificate is in force without a restart, and one without its key leaves the one before', async () => {
  const said: string[] = [];
  const note = (_fields: object, message: string): void => void said.push(message);
  const log = { debug() {}, info: note, warn: note, error: note };
  await using server = await startServer({ settings, folder, log });
  makeCertificate('next', 'second');
  await rename(join(folder, 'server.pem'), join(folder, 'before.pem'));
  await rename(join(folder, 'next.pem'), join(folder, 'server.pem'));
  await expect.poll(() => said.join('\n')).toContain('the certificate as it stands is not in force');
  expect(await look(server.url, 'before.pem')).toEqual({ status: 200, organization: 'first' });
  await rename(join(folder, 'next.key'), join(folder, 'server.key'));
  await expect.poll(() => said.join('\n')).toContain('another certificate is in force');
  expect(await look(server.url, 'server.pem')).toEqual({ status: 200, organization: 'second' });
});

test('a certificate that is missing, damaged or of another key stops the start with what is wrong', async () => {
  const start = (tls: object): Promise<unknown> => startServer({ settings: { tls }, folder });
  await expect(start({ certificate: 'nowhere.pem', key: 'server.key' })).rejects.toThrow(
    /^tls: .*nowhere\.pem cannot be read: ENOENT/,
  );
  await writeFile(join(folder, 'text.pem'), 'no certificate');
  await expect(start({ certificate: 'text.pem', key: 'server.key' })).rejects.toThrow(
    'tls: text.pem and server.key are no certificate and its key in PEM form: ',
  );
  makeCertificate('other', 'other');
  await expect(start({ certificate: 'server.pem', key: 'other.key' })).rejects.toThrow(
    'tls: server.pem and other.key are no certificate and its key in PEM form: ',
  );
});
