import { SextantError, messageOf } from '@sextant/core';

/** By SQLSTATE, by a code of the operating system or of OpenSSL, or by a message that has no code. */
const reasons: readonly (readonly [RegExp, string])[] = [
  [/^28P01$/, 'the password was refused; set "password" of the plugin service-postgres'],
  [/^28000$/, 'the server does not let this user in from here; see its pg_hba.conf'],
  [/^3D000$/, 'there is no such database; create it, or name another one in "url"'],
  [/^42501$/, 'the user may not do that; make it the owner of the database, or of its schema'],
  [/^53300$/, 'the server has too many connections; raise its max_connections, or lower "connections"'],
  [/^53100$/, 'the disk of the server is full'],
  [/^25006$/, 'the server is a standby, which cannot be written; name the primary in "url"'],
  [/^57014$/, 'a statement took too long, or waited too long for others; try again'],
  [/^(40001|40P01|55P03)$/, 'another transaction was in the way; try again'],
  [/^(57P0\d|08\w{3}|25P03)$/, 'the server ends the connection, or is just starting; try again'],
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOENT)$/, 'nothing listens there; start the server, or correct "url"'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'the name of the host is not known; correct "url"'],
  [/^(ECONNRESET|EPIPE|ETIMEDOUT)$/, 'the connection was lost; try again'],
  [
    /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/,
    'its certificate is not trusted; name that of its authority: ?sslmode=verify-full&sslrootcert=FILE in "url"',
  ],
  [/does not support SSL/, 'the server has no TLS; switch it on there, or leave sslmode out of "url"'],
  [/timeout exceeded when trying to connect/, 'no connection came about in time; try again, or raise "connections"'],
  [/Connection terminated|not queryable/, 'the connection was lost; try again'],
];

/** What is wrong with the database and what to do about it; undefined for a mistake of what was asked of it. */
export function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error ? String(error.code) : messageOf(error);
  return reasons.find(([pattern]) => pattern.test(code))?.[1];
}

/** A failure of the database as callers may be told, without where it is; anything else as it is. */
export function toldFailure(error: unknown): unknown {
  const reason = reasonOf(error);
  return reason === undefined
    ? error
    : new SextantError('unavailable', `the database cannot be used: ${reason}`, { retryAfterSeconds: 1, cause: error });
}
