import { mkdir, rm, writeFile } from 'node:fs/promises';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

const key = z
  .string()
  .refine(
    (text) => /^-----BEGIN [A-Z ]*PRIVATE KEY-----\s[^]+\s-----END [A-Z ]*PRIVATE KEY-----\s*$/.test(text),
    'must be a private key as ssh-keygen writes it, such as "${file:/run/secrets/git-key}"',
  )
  .refine((text) => !isEncrypted(text), 'has a passphrase, which nobody can enter here; make a key without one')
  .describe('The private key, by reference');

const knownHosts = z
  .string()
  .refine(
    (text) => text.split('\n').some((line) => /^(?!\s*#)\s*\S+\s+\S+\s+\S+/.test(line)),
    'must be lines of a known_hosts file, such as "${file:known_hosts}"; `ssh-keyscan HOST` prints them, and the host’s documentation says whether they are right',
  )
  .describe('The keys of the host, as lines of a known_hosts file; a host with another key is refused');

/** How git signs in over ssh. */
export const sshLogin = z
  .union([z.literal('account'), z.strictObject({ key, knownHosts })])
  .describe(
    'How git signs in over ssh: `{ key, knownHosts }`, or "account" for the keys, known hosts, agent and settings of the account that the server runs as',
  );

export type SSHLogin = z.output<typeof sshLogin>;

const cipherAt = 'openssh-key-v1\0'.length + 4;

function isEncrypted(text: string): boolean {
  if (/ENCRYPTED/.test(text)) return true;
  if (!text.includes('OPENSSH')) return false;
  const content = Buffer.from(text.replace(/-----[A-Z ]+-----/g, ''), 'base64');
  return content.toString('latin1', cipherAt, cipherAt + 4) !== 'none';
}

// A host that answers no more is left after a minute.
const always =
  'ssh -oBatchMode=yes -oStrictHostKeyChecking=yes -oConnectTimeout=30 -oServerAliveInterval=15 -oServerAliveCountMax=4';
/** Nothing of the account that the server runs as, and nothing of the machine. */
const alone = [
  '-F none',
  '-oLogLevel=ERROR',
  '-oIdentityAgent=none',
  '-oIdentitiesOnly=yes',
  '-oPreferredAuthentications=publickey',
  '-oUpdateHostKeys=no',
  `-oGlobalKnownHostsFile=${devNull}`,
  // By the environment: ssh would take a space or a percent sign of a path for its own.
  "-oIdentityFile='${SEXTANT_SSH_FOLDER}/key'",
  "-oUserKnownHostsFile='${SEXTANT_SSH_FOLDER}/known_hosts'",
].join(' ');

/**
 * Does work with the environment in which git signs in so. `folder` is made for it, holds the key, and is removed with the work.
 * Throws what the work throws.
 */
export async function withSSH<T>(
  { login, folder }: { login: SSHLogin; folder: string },
  work: (environment: NodeJS.ProcessEnv) => Promise<T>,
): Promise<T> {
  if (login === 'account') {
    const { SSH_AUTH_SOCK } = process.env;
    return work({ GIT_SSH_COMMAND: always, ...(SSH_AUTH_SOCK !== undefined && { SSH_AUTH_SOCK }) });
  }
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    // Without a line end after it ssh does not read a key.
    await writeFile(join(folder, 'key'), `${login.key.trimEnd()}\n`, { mode: 0o600 });
    await writeFile(join(folder, 'known_hosts'), `${login.knownHosts.trimEnd()}\n`, { mode: 0o600 });
    return await work({ GIT_SSH_COMMAND: `${always} ${alone}`, SEXTANT_SSH_FOLDER: folder });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
