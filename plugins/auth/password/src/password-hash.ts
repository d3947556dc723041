import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import type { ScryptOptions } from 'node:crypto';
import { SextantError } from '@sextant/core';

/** OWASP's password storage cheat sheet, of the three equally strong choices the one for 32 MiB. */
const cost = { N: 2 ** 15, r: 8, p: 3 } as const;
const options: ScryptOptions = { ...cost, maxmem: 64 * 1024 * 1024 };
const prefix = `scrypt$${cost.N}$${cost.r}$${cost.p}`;
const maxWaiting = 50;

/**
 * Hashes passwords by scrypt (RFC 7914), one after the other: they fill memory and the threads that files are read with, and
 * whoever sends many at once must wait for themselves only.
 */
export class PasswordHash {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** What is stored of a password: parameters, salt and hash. Throws `exhausted` when too many wait. */
  async hash(password: string): Promise<string> {
    const salt = randomBytes(16);
    return format(salt, await this.#derive(password, salt));
  }

  /** Takes the same time whether there is something stored or not. Throws `exhausted` when too many wait. */
  async matches(password: string, stored = nobodys): Promise<boolean> {
    const [salt = '', hash = ''] = stored.slice(prefix.length + 1).split('$');
    const expected = Buffer.from(hash, 'base64url');
    const derived = await this.#derive(password, Buffer.from(salt, 'base64url'));
    return derived.length === expected.length && timingSafeEqual(derived, expected) && stored !== nobodys;
  }

  async #derive(password: string, salt: Buffer): Promise<Buffer> {
    if (this.#waiting >= maxWaiting)
      throw new SextantError('exhausted', 'too many people are signing in; try again in a moment', {
        retryAfterSeconds: 5,
      });
    this.#waiting += 1;
    const derived = this.#last.then(() => deriveKey(password, salt));
    this.#last = derived.catch(() => undefined);
    return derived.finally(() => (this.#waiting -= 1));
  }
}

const format = (salt: Buffer, hash: Buffer): string =>
  `${prefix}$${salt.toString('base64url')}$${hash.toString('base64url')}`;

/** Stands for the password of a user who has none, or who does not exist. */
const nobodys = format(Buffer.alloc(16), Buffer.alloc(32));

/** The same characters typed on another keyboard may be other code points. */
const deriveKey = (password: string, salt: Buffer): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, 32, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
