import { hash, randomBytes } from 'node:crypto';
import { administratorName, personNamed } from '@sextant/contracts';
import type { Audit, ChangedBy, Directory, SignInLinks } from '@sextant/contracts';
import { SextantError, defineCommand, token } from '@sextant/core';
import type { Caller } from '@sextant/core';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { SessionTables } from './tables.ts';

export const linkPath = '/sign-in/link/:code';

const minuteMs = 60_000;
const longestMinutes = 7 * 24 * 60;
/** For the link of the very first start. */
const firstMinutes = 60;

export interface SignInLinksOptions {
  readonly db: Kysely<SessionTables>;
  readonly directory: Directory;
  readonly audit: Audit | undefined;
  readonly externalURL: string;
}

/** Links that sign a person in once, for those who have no password yet. The database holds hashes of them. */
export class StoredSignInLinks implements SignInLinks {
  readonly #options: SignInLinksOptions;

  constructor(options: SignInLinksOptions) {
    this.#options = options;
  }

  /**
   * A link for a user, good once and for so many minutes. Forgets those that ended. Throws `not_found`, and `conflict`
   * for service accounts and disabled users.
   */
  async make(name: string, minutes: number, by?: ChangedBy): Promise<string> {
    const { db, directory, audit, externalURL } = this.#options;
    const user = await personNamed(directory, name);
    if (user.isDisabled) throw new SextantError('conflict', `${user.name} is disabled; user enable ${user.name} first`);
    const code = randomBytes(32).toString('base64url');
    const now = Date.now();
    await db.deleteFrom('sign_in_link').where('ends_at', '<=', now).execute();
    await db
      .insertInto('sign_in_link')
      .values({ hash: hashOf(code), user_id: user.id, made_at: now, ends_at: now + minutes * minuteMs })
      .execute();
    audit?.record({ action: 'sign-in-link.created', outcome: 'success', target: user.name, ...by });
    return `${externalURL}/sign-in/link/${code}`;
  }

  /** For the administrator who has no other way into a browser on the first start. */
  makeFirst(): Promise<string> {
    return this.make(administratorName, firstMinutes);
  }

  /** Who a link signs in: it is used up. Undefined for one that is unknown, used or ended, and for a disabled user. */
  async use(code: string, address: string | undefined): Promise<Caller | undefined> {
    const { db, directory, audit } = this.#options;
    const link = await db
      .deleteFrom('sign_in_link')
      .where('hash', '=', hashOf(code))
      .returning(['user_id', 'made_at', 'ends_at'])
      .executeTakeFirst();
    const now = Date.now();
    // A clock that was put back would make a link last longer.
    const isGood = link !== undefined && link.made_at <= now && now < link.ends_at;
    const caller = isGood
      ? await directory.callerFor({ userId: link.user_id, scopes: [], credential: 'sign-in link' })
      : undefined;
    audit?.record({
      action: caller ? 'sign-in.succeeded' : 'sign-in.failed',
      outcome: caller ? 'success' : 'failure',
      ...(caller && { actor: { id: caller.user.id, name: caller.user.name }, target: caller.user.name }),
      ...(address !== undefined && { address }),
      detail: 'link',
    });
    return caller;
  }
}

/** No salt and no slowness are needed: nobody guesses 256 bits. */
const hashOf = (code: string): string => hash('sha256', code, 'hex');

/** Used inside this plugin only: links can be used here, too. */
export const signInLinks = token<StoredSignInLinks>('sign-in-links-used');

export const userLink = defineCommand({
  name: 'user link',
  summary: 'a link that signs a user in to a browser, once',
  input: z.object({
    name: z.string().describe('Name of the user'),
    minutes: z.int().min(1).max(longestMinutes).default(60).describe('How long it is good'),
  }),
  positionals: ['name'],
  needs: { links: signInLinks },
  output: z.object({ link: z.string(), minutes: z.int() }),
  run: async ({ name, minutes }, { links }) => ({ link: await links.make(name, minutes), minutes }),
  toText: ({ link, minutes }) =>
    `${link}\ngood once, for ${minutes} minutes; whoever opens it is signed in. Where the server listens elsewhere, say so with "externalURL", or "port", of the configuration`,
});
