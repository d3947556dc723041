import type { CompiledQuery, Kysely, Selectable } from 'kysely';
import { z } from 'zod';
import { isAhead } from '@sextant/contracts';
import { hashOf } from './artifact-keys.ts';
import type { OAuthTables } from '../tables.ts';

/** When the library made it, in seconds since 1970. */
const issued = z.object({ iat: z.number().optional() });

export type Artifact = Selectable<OAuthTables['oauth_artifact']>;

/** An access token whose grant has not ended. */
export type StoredToken = Pick<Artifact, 'payload' | 'expires_at' | 'client_id'>;

/** What a person agreed to. */
export interface Consent {
  readonly accountId: string;
  readonly clientId: string;
  readonly resource: string;
  /** As the client sent it. */
  readonly redirectUri: string;
}

/** Codes, tokens, grants, interactions and consents in the database. */
export class ArtifactStore {
  readonly #db: Kysely<OAuthTables>;
  readonly #tokenById: CompiledQuery<StoredToken>;

  constructor(db: Kysely<OAuthTables>) {
    this.#db = db;
    this.#tokenById = tokenById(db);
  }

  /** Writes an artifact; one that is there keeps its user code, and that it was consumed. */
  async write(artifact: Omit<Artifact, 'consumed_at'>): Promise<void> {
    const { model: _model, id: _id, user_code, ...changed } = artifact;
    await this.#db
      .insertInto('oauth_artifact')
      .values({ ...artifact, consumed_at: null })
      .onConflict((conflict) =>
        conflict.columns(['model', 'id']).doUpdateSet({ ...changed, ...(user_code !== null && { user_code }) }),
      )
      .execute();
  }

  /** Leaves at most so many of a model; those that expire first go. */
  async dropSuperfluous(model: string, max: number): Promise<void> {
    const { count } = await this.#db
      .selectFrom('oauth_artifact')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('model', '=', model)
      .executeTakeFirstOrThrow();
    if (count <= max) return;
    const superfluous = this.#db
      .selectFrom('oauth_artifact')
      .select('id')
      .where('model', '=', model)
      .orderBy('expires_at')
      .limit(count - max);
    await this.#db.deleteFrom('oauth_artifact').where('model', '=', model).where('id', 'in', superfluous).execute();
  }

  async find(model: string, id: string): Promise<Artifact | undefined> {
    const artifact = await this.#db
      .selectFrom('oauth_artifact')
      .selectAll()
      .where('model', '=', model)
      .where('id', '=', id)
      .executeTakeFirst();
    return artifact && this.#timed(artifact);
  }

  /** What a token was issued for, in one look: every call that is not remembered waits for it. */
  async findToken(id: string): Promise<StoredToken | undefined> {
    const parameters = this.#tokenById.parameters.map((parameter) => (parameter === anyId ? id : parameter));
    const { rows } = await this.#db.executeQuery<StoredToken>({ ...this.#tokenById, parameters });
    return rows[0];
  }

  async findByUserCode(model: string, userCode: string): Promise<Artifact | undefined> {
    const artifact = await this.#db
      .selectFrom('oauth_artifact')
      .selectAll()
      .where('model', '=', model)
      .where('user_code', '=', userCode)
      .executeTakeFirst();
    return artifact && this.#timed(artifact);
  }

  /** Ends an artifact that has expired for good, whatever becomes of the clock. */
  async expire(model: string, id: string): Promise<void> {
    await this.#db
      .updateTable('oauth_artifact')
      .set({ expires_at: 0 })
      .where('model', '=', model)
      .where('id', '=', id)
      .execute();
  }

  /** The artifact, which has expired when it once had, or when it was issued in the future: the clock may have gone back. */
  async #timed(artifact: Artifact): Promise<Artifact> {
    const { model, id, payload, expires_at: end } = artifact;
    const now = Date.now();
    if (end !== null && end > 0 && end <= now) await this.expire(model, id);
    const { iat = 0 } = issued.parse(JSON.parse(payload));
    return (end !== null && end <= now) || isAhead(iat * 1000, now) ? { ...artifact, expires_at: 0 } : artifact;
  }

  /** Whether this call consumed it, and no other did before. */
  async consume(model: string, id: string): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('oauth_artifact')
      .set({ consumed_at: Date.now() })
      .where('model', '=', model)
      .where('id', '=', id)
      .where('consumed_at', 'is', null)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  async remove(model: string, id: string): Promise<void> {
    await this.#db.deleteFrom('oauth_artifact').where('model', '=', model).where('id', '=', id).execute();
  }

  /** Ends a grant: everything that was issued under it, of one model or of all, the grant included. */
  async revokeGrant(grantId: string, model?: string): Promise<void> {
    const issued = this.#db.deleteFrom('oauth_artifact').where('grant_id', '=', grantId);
    await (model === undefined ? issued : issued.where('model', '=', model)).execute();
    if (model === undefined) await this.remove('Grant', grantId);
  }

  /** Grants of a person that have not expired, newest first. */
  grantsOf(accountId: string): Promise<Artifact[]> {
    return this.#db
      .selectFrom('oauth_artifact')
      .selectAll()
      .where('model', '=', 'Grant')
      .where('account_id', '=', accountId)
      .where('expires_at', '>', Date.now())
      .orderBy('expires_at', 'desc')
      .execute();
  }

  /** Remembers a consent for as long as its grant lives. */
  async noteConsent(consent: Consent, grantId: string): Promise<void> {
    const grant = await this.find('Grant', grantId);
    await this.write({
      model: 'Consent',
      id: idOf(consent),
      payload: '{}',
      grant_id: grantId,
      user_code: null,
      account_id: consent.accountId,
      client_id: consent.clientId,
      expires_at: grant?.expires_at ?? 0,
    });
  }

  /** Whether exactly this was consented to, and neither expired nor was revoked. */
  async isConsented(consent: Consent): Promise<boolean> {
    const noted = await this.find('Consent', idOf(consent));
    if (!noted?.grant_id || noted.expires_at === 0) return false;
    const grant = await this.find('Grant', noted.grant_id);
    return grant !== undefined && grant.expires_at !== 0;
  }

  /** Ends all that a person granted to a client. */
  async revokeClientOf(accountId: string, clientId: string): Promise<void> {
    await this.#db
      .deleteFrom('oauth_artifact')
      .where('account_id', '=', accountId)
      .where('client_id', '=', clientId)
      .execute();
  }

  /** Forgets everything of clients that are gone. */
  async removeClients(clientIds: readonly string[]): Promise<void> {
    if (clientIds.length > 0) await this.#db.deleteFrom('oauth_artifact').where('client_id', 'in', clientIds).execute();
  }

  /** Removes what has expired. */
  async sweep(): Promise<void> {
    await this.#db.deleteFrom('oauth_artifact').where('expires_at', '<=', Date.now()).execute();
  }
}

/** Stands for the id in a query that is made once: to make it takes longer than to run it. */
const anyId = '(id)';

const tokenById = (db: Kysely<OAuthTables>): CompiledQuery<StoredToken> =>
  db
    .selectFrom('oauth_artifact as token')
    .innerJoin('oauth_artifact as grant', (join) =>
      join.on('grant.model', '=', 'Grant').onRef('grant.id', '=', 'token.grant_id'),
    )
    .select(['token.payload', 'token.expires_at', 'token.client_id'])
    .where('token.model', '=', 'AccessToken')
    .where('token.id', '=', anyId)
    .compile();

const idOf = ({ accountId, clientId, resource, redirectUri }: Consent): string =>
  hashOf(JSON.stringify([accountId, clientId, resource, redirectUri]));
