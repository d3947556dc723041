import { expect, test } from 'vitest';
import { causeOf } from './transfer-failure.ts';

test.each([
  ["fatal: repository 'https://git.example.com/acme/certificate.git/' not found", 'its host knows no such repository'],
  [
    "fatal: unable to access 'https://git.example.com/a/': SSL certificate problem: certificate has expired",
    'the certificate of its host is not accepted',
  ],
  [
    "fatal: unable to access 'https://git.example.com/host-key/': OpenSSL SSL_read: Connection reset by peer, errno 104",
    'its host cannot be reached, or ends the connection',
  ],
  [
    "fatal: could not read Username for 'https://git.example.com': terminal prompts disabled",
    'its host does not accept the login of the server',
  ],
  [
    "fatal: unable to access 'https://nowhere.example/': Could not resolve host: nowhere.example",
    'the name of its host is not known',
  ],
  [
    "fatal: unable to access 'https://git.example.com/a/': The requested URL returned error: 404",
    'its host knows no such repository',
  ],
  [
    'No ED25519 host key is known for [127.0.0.1]:22 and you have requested strict checking.\nHost key verification failed.',
    'the key of its host is not known',
  ],
  [
    '@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\nHost key for git.example.com has changed',
    'the key of its host is not the one that is known',
  ],
  ['git@git.example.com: Permission denied (publickey).', 'its host does not accept the login of the server'],
  [
    'ssh: connect to host git.example.com port 22: Connection timed out',
    'its host cannot be reached, or ends the connection',
  ],
  ['fatal: write error: No space left on device', 'the disk of the server is full'],
  ['fatal: something that nobody has seen', undefined],
])('%s', (said, cause) => {
  expect(causeOf(said)).toBe(cause);
});
