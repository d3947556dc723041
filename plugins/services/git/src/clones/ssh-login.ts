import { mkdir, rm, writeFile } from 'node:fs/promises';
import { devNull } from 'node:os';
import { join } from 'node:path';
import type { SSHLogin } from '@sextant/contracts';

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
