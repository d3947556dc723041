import type { Audit, Directory, DirectoryUser, Sessions } from '@sextant/contracts';
import { personNamed } from '@sextant/contracts';
import { SextantError, networkOf, token } from '@sextant/core';
import type { Kysely } from 'kysely';
import type { PasswordHash } from './password-hash.ts';
import type { PasswordTables } from './tables.ts';
import type { Throttle } from './throttle.ts';

const minLength = 10;
const maxLength = 200;

export interface PasswordsOptions {
  db: Kysely<PasswordTables>;
  hash: PasswordHash;
  throttle: Throttle;
  directory: Directory;
  sessions: Sessions;
  audit: Audit | undefined;
}

export interface SignIn {
  name: string;
  password: string;
  /** Where it came from. */
  address: string;
}

/** Sets and checks the passwords of people. */
export class Passwords {
  readonly #options: PasswordsOptions;

  constructor(options: PasswordsOptions) {
    this.#options = options;
  }

  /** Ends all sessions of the user. Throws `not_found`, `conflict` for programs, `invalid_argument` for a short password. */
  async set(name: string, password: string): Promise<DirectoryUser> {
    const { db, hash, sessions, audit } = this.#options;
    const user = await this.personNamed(name);
    if (password.length < minLength || password.length > maxLength)
      throw new SextantError(
        'invalid_argument',
        `a password has ${minLength} to ${maxLength} characters; any are allowed`,
      );
    const values = { hash: await hash.hash(password), changed_at: Date.now() };
    await db
      .insertInto('password')
      .values({ user_id: user.id, ...values })
      .onConflict((conflict) => conflict.column('user_id').doUpdateSet(values))
      .execute();
    await sessions.endAll(user.id);
    audit?.record({ action: 'password.changed', outcome: 'success', target: user.name });
    return user;
  }

  /** Throws `not_found`, or `conflict` for a service account. */
  personNamed(name: string): Promise<DirectoryUser> {
    return personNamed(this.#options.directory, name);
  }

  /**
   * The user who shows the right password. Undefined for a wrong one and for users that do not exist, are disabled or have
   * none: nothing tells them apart, the time neither. Throws `exhausted` after too many failures, and while too many wait.
   */
  async check({ name, password, address }: SignIn): Promise<DirectoryUser | undefined> {
    const { throttle, directory } = this.#options;
    const attempt = { account: name.toLowerCase().slice(0, maxLength), address };
    const user = await directory.find(name);
    try {
      await throttle.attempt(attempt);
    } catch (error) {
      this.#record(address, { user, detail: 'password: too many attempts' });
      throw error;
    }
    const shown = { password: password.slice(0, maxLength), sender: networkOf(address) };
    const isRight = await this.#isRight(user, shown).catch(async (error: unknown) => {
      await throttle.giveBack(attempt);
      throw error;
    });
    this.#record(address, { user, isRight, detail: 'password' });
    if (!isRight) return undefined;
    await throttle.succeeded(attempt);
    return user;
  }

  async #isRight(
    user: DirectoryUser | undefined,
    { password, sender }: { password: string; sender: string },
  ): Promise<boolean> {
    const { db, hash } = this.#options;
    const stored = db
      .selectFrom('password')
      .select('hash')
      .where('user_id', '=', user?.id ?? 0);
    const isRight = await hash.matches(password, { stored: (await stored.executeTakeFirst())?.hash, sender });
    return isRight && user !== undefined && !user.isDisabled && !user.isServiceAccount;
  }

  /** What was typed as the name of nobody is not kept: it may be a password. */
  #record(
    address: string,
    { user, isRight = false, detail }: { user: DirectoryUser | undefined; isRight?: boolean; detail: string },
  ): void {
    this.#options.audit?.record({
      action: isRight ? 'sign-in.succeeded' : 'sign-in.failed',
      outcome: isRight ? 'success' : 'failure',
      ...(isRight && user && { actor: { id: user.id, name: user.name } }),
      ...(user && { target: user.name }),
      address,
      detail: user ? detail : `${detail}, unknown user`,
    });
  }
}

/** Used inside this plugin only. */
export const passwords = token<Passwords>('passwords');
