import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import type { ScryptOptions } from 'node:crypto';
import { SextantError } from '@sextant/core';

/** OWASP's password storage cheat sheet, of the three equally strong choices the one for 32 MiB. */
const cost = { N: 2 ** 15, r: 8, p: 3 } as const;
const options: ScryptOptions = { ...cost, maxmem: 64 * 1024 * 1024 };
const prefix = `scrypt$${cost.N}$${cost.r}$${cost.p}`;

/** Most that wait: of one sender, which may be an office or a proxy, and of all together. */
const maxWaiting = { sender: 20, all: 1000 } as const;

/** The hashes that one sender waits for. */
interface Line {
  last: Promise<unknown>;
  waiting: number;
}

/**
 * Hashes passwords by scrypt (RFC 7914), one after the other: they fill memory and the threads that files are read with.
 * Senders take turns, so that whoever sends many at once waits for themselves only.
 */
export class PasswordHash {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  readonly #lines = new Map<string, Line>();

  /** What is stored of a password: parameters, salt and hash. Throws `exhausted` when too many wait. */
  async hash(password: string): Promise<string> {
    const salt = randomBytes(16);
    return format(salt, await this.#derive(password, { salt, sender: 'an operator' }));
  }

  /** Does the same work whether there is something stored or not. Throws `exhausted` when too many wait. */
  async matches(
    password: string,
    { stored = nobodys, sender }: { stored?: string | undefined; sender: string },
  ): Promise<boolean> {
    const [salt = '', hash = ''] = stored.slice(prefix.length + 1).split('$');
    const expected = Buffer.from(hash, 'base64url');
    const derived = await this.#derive(password, { salt: Buffer.from(salt, 'base64url'), sender });
    return derived.length === expected.length && timingSafeEqual(derived, expected) && stored !== nobodys;
  }

  /** In the line of all stands one of each sender at most. */
  async #derive(password: string, { salt, sender }: { salt: Buffer; sender: string }): Promise<Buffer> {
    const line = this.#lines.get(sender) ?? { last: Promise.resolve(), waiting: 0 };
    if (line.waiting >= maxWaiting.sender || this.#waiting >= maxWaiting.all) throw tooMany();
    this.#lines.set(sender, line);
    this.#waiting += 1;
    line.waiting += 1;
    const derived = line.last.then(() => {
      const turn = this.#last.then(() => deriveKey(password, salt));
      this.#last = turn.catch(() => undefined);
      return turn;
    });
    line.last = derived.catch(() => undefined);
    return derived.finally(() => {
      this.#waiting -= 1;
      line.waiting -= 1;
      if (line.waiting === 0) this.#lines.delete(sender);
    });
  }
}

const tooMany = (): SextantError =>
  new SextantError('exhausted', 'too many people are signing in; try again in a moment', { retryAfterSeconds: 5 });

const format = (salt: Buffer, hash: Buffer): string =>
  `${prefix}$${salt.toString('base64url')}$${hash.toString('base64url')}`;

/** Stands for the password of a user who has none, or who does not exist. */
const nobodys = format(Buffer.alloc(16), Buffer.alloc(32));

/** The same characters typed on another keyboard may be other code points. */
const deriveKey = (password: string, salt: Buffer): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, 32, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
