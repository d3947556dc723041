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

/** How git signs in over ssh, as the configuration says it. */
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

const named = /^ssh:\/\/(?:\w[\w.+%-]*@)?(\w[\w.-]*)(?::\d{1,5})?\/[^\s\p{Cc}]+$/u;
const scpLike = /^\w[\w.+-]*@(\w[\w.-]*):(?!\/\/|:)[^\s\p{Cc}]+$/u;

/** The host of `ssh://user@host:port/path` or `user@host:path`, in lower case; undefined for all else, and where ssh could take a part for an option. */
export const sshHostOf = (url: string): string | undefined =>
  (named.exec(url) ?? scpLike.exec(url))?.[1]?.toLowerCase();
