import { CommittedReads } from '@sextant/contracts';
import type { Database, OAuthClientFilter, OAuthClientInfo } from '@sextant/contracts';
import { SextantError, didYouMean } from '@sextant/core';
import { sql } from 'kysely';
import type { Kysely, Selectable } from 'kysely';
import type { ClientMetadata } from 'oidc-provider';
import { z } from 'zod';
import { hashOf } from '../tokens/artifact-keys.ts';
import type { ArtifactStore } from '../tokens/artifact-store.ts';
import type { NamedClient } from '../config.ts';
import { mayRegister } from './registration.ts';
import type { RegistrationRules } from './registration.ts';
import type { OAuthTables } from '../tables.ts';

/** How many clients may have registered themselves; the oldest that nobody uses goes first. */
const mostRegistered = 10_000;

const codeGrants = ['authorization_code', 'refresh_token'];
export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

export interface ClientStoreOptions {
  db: Kysely<OAuthTables>;
  artifacts: ArtifactStore;
  /** The one that holds the clients. */
  database: Pick<Database, 'version'>;
  /** Those of the configuration file. */
  configured: readonly NamedClient[];
  registration: RegistrationRules;
}

const metadata = z.looseObject({
  client_id: z.string(),
  client_name: z.string().optional(),
  client_secret: z.string().optional(),
  redirect_uris: z.array(z.string()).optional(),
});

/** The OAuth clients: of the configuration, of the operator, and those that registered themselves. */
export class ClientStore {
  readonly #options: ClientStoreOptions;
  readonly #configured: ReadonlyMap<string, ClientMetadata>;
  readonly #origins: CommittedReads<string, 'operator' | 'registered'>;

  constructor(options: ClientStoreOptions) {
    this.#options = options;
    this.#origins = new CommittedReads({ database: options.database, max: mostRegistered });
    this.#configured = new Map(options.configured.map((client) => [client.clientId, metadataOf(client)]));
  }

  /** Its metadata with the secret hashed; undefined for one that is unknown, or registered itself and might not today. */
  async find(clientId: string): Promise<ClientMetadata | undefined> {
    const configured = this.#configured.get(clientId);
    if (configured) return configured;
    const row = await this.#options.db
      .selectFrom('oauth_client')
      .select(['metadata', 'origin'])
      .where('id', '=', clientId)
      .executeTakeFirst();
    if (!row) return undefined;
    const client = metadata.parse(JSON.parse(row.metadata));
    const mayBe = row.origin === 'operator' || mayRegister(client.redirect_uris ?? [], this.#options.registration);
    return mayBe ? client : undefined;
  }

  /** Whether tokens of the client are good. One that is named by a URL (client-id metadata document) is in no table. */
  async isActive(clientId: string): Promise<boolean> {
    if (this.#configured.has(clientId)) return true;
    const origin = await this.#origins.read(clientId, (id) => this.#originOf(id));
    if (origin === 'operator') return true;
    return this.#options.registration.isEnabled && (origin === 'registered' || URL.canParse(clientId));
  }

  /** Whether nobody but the client itself says who it is. */
  async isSelfRegistered(clientId: string): Promise<boolean> {
    if (this.#configured.has(clientId)) return false;
    return (await this.#originOf(clientId)) !== 'operator';
  }

  async #originOf(clientId: string): Promise<'operator' | 'registered' | undefined> {
    const { db } = this.#options;
    const row = await db.selectFrom('oauth_client').select('origin').where('id', '=', clientId).executeTakeFirst();
    return row?.origin;
  }

  /** Keeps a client that registered itself. */
  async register(client: ClientMetadata): Promise<void> {
    await this.#insert(client, 'registered');
    await this.dropSuperfluous(mostRegistered);
  }

  /** Leaves at most so many clients that registered themselves; those that nobody uses go first, the oldest of them before others. */
  async dropSuperfluous(max: number): Promise<void> {
    const { db, artifacts } = this.#options;
    const { count } = await db
      .selectFrom('oauth_client')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('origin', '=', 'registered')
      .executeTakeFirstOrThrow();
    if (count <= max) return;
    const superfluous = await db
      .selectFrom('oauth_client')
      .select('id')
      .where('origin', '=', 'registered')
      .orderBy(sql`last_used_at is not null`)
      .orderBy('last_used_at')
      .orderBy('created_at')
      .limit(count - max)
      .execute();
    const ids = superfluous.map(({ id }) => id);
    await db.deleteFrom('oauth_client').where('id', 'in', ids).execute();
    await artifacts.removeClients(ids);
  }

  async noteUse(clientId: string): Promise<void> {
    const { db } = this.#options;
    await db.updateTable('oauth_client').set({ last_used_at: Date.now() }).where('id', '=', clientId).execute();
  }

  /** Throws `conflict` for an id that is taken. */
  async add(client: NamedClient): Promise<OAuthClientInfo> {
    if (!this.#configured.has(client.clientId) && (await this.#insert(metadataOf(client), 'operator')))
      return this.describe(client.clientId);
    throw new SextantError('conflict', `there is a client ${client.clientId} already; oauth client list shows all`);
  }

  /** Throws `not_found`. */
  async describe(clientId: string): Promise<OAuthClientInfo> {
    const configured = this.#configured.get(clientId);
    if (configured) return toInfo(configured, 'config');
    const row = await this.#options.db
      .selectFrom('oauth_client')
      .selectAll()
      .where('id', '=', clientId)
      .executeTakeFirst();
    if (row) return toStoredInfo(row);
    const known = (await this.list({ isRegistered: false, offset: 0, limit: 1000 })).clients;
    const ids = known.map((client) => client.clientId);
    throw new SextantError(
      'not_found',
      `there is no client "${clientId.slice(0, 100)}".${didYouMean(clientId, ids)} oauth client list shows all`,
    );
  }

  async list({
    isRegistered,
    offset,
    limit,
  }: OAuthClientFilter): Promise<{ clients: OAuthClientInfo[]; total: number }> {
    const all = this.#options.db
      .selectFrom('oauth_client')
      .where('origin', '=', isRegistered ? 'registered' : 'operator')
      // The configuration lies over the database.
      .where('id', 'not in', [...this.#configured.keys(), '']);
    const { count } = await all.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
    const configured = isRegistered ? [] : [...this.#configured.values()].map((client) => toInfo(client, 'config'));
    const fromConfig = configured.slice(offset, offset + limit);
    const rows = await all
      .selectAll()
      .orderBy(isRegistered ? sql`created_at desc, id` : 'id')
      .offset(Math.max(0, offset - configured.length))
      .limit(limit - fromConfig.length)
      .execute();
    return { clients: [...fromConfig, ...rows.map(toStoredInfo)], total: configured.length + count };
  }

  /** Throws `not_found`, and `conflict` for one that is kept elsewhere. */
  async setRedirectUris(clientId: string, redirectUris: readonly string[]): Promise<OAuthClientInfo> {
    const { name, managedBy } = await this.describe(clientId);
    if (managedBy !== 'operator') throw kept(clientId, managedBy);
    const { client_secret: secret } = (await this.find(clientId)) ?? {};
    const changed = {
      ...metadataOf({ clientId, name, redirectUris: [...redirectUris] }),
      // Hashed already.
      ...(secret !== undefined && confidential(secret)),
    };
    await this.#options.db
      .updateTable('oauth_client')
      .set({ metadata: JSON.stringify(changed) })
      .where('id', '=', clientId)
      .where('origin', '=', 'operator')
      .execute();
    return this.describe(clientId);
  }

  /** Removes a client and ends all it was granted. Throws `not_found`, and `conflict` for one of the configuration. */
  async remove(clientId: string): Promise<OAuthClientInfo> {
    const client = await this.describe(clientId);
    if (client.managedBy === 'config') throw kept(clientId, client.managedBy);
    const { db, artifacts } = this.#options;
    await db.deleteFrom('oauth_client').where('id', '=', clientId).execute();
    await artifacts.removeClients([clientId]);
    return client;
  }

  /** Whether it was added: false for an id that is taken. */
  async #insert(client: ClientMetadata, origin: 'operator' | 'registered'): Promise<boolean> {
    const { numInsertedOrUpdatedRows } = await this.#options.db
      .insertInto('oauth_client')
      .values({
        id: client.client_id,
        metadata: JSON.stringify(client),
        origin,
        created_at: Date.now(),
        last_used_at: null,
      })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 1n;
  }
}

const kept = (clientId: string, by: 'config' | 'registered'): SextantError =>
  new SextantError(
    'conflict',
    by === 'config'
      ? `${clientId} is kept as the configuration says; change it there (key "oauthClients")`
      : `${clientId} registered itself, and only it says where it is; name a client of your own instead`,
  );

/** What the protocol calls a client of the operator; its secret is kept as a hash here as well. */
const metadataOf = ({ clientId, name, redirectUris, secret }: NamedClient): ClientMetadata => ({
  client_id: clientId,
  client_name: name,
  redirect_uris: redirectUris,
  response_types: redirectUris.length > 0 ? ['code'] : [],
  grant_types: [...(redirectUris.length > 0 ? codeGrants : ['refresh_token']), deviceGrant],
  token_endpoint_auth_method: 'none',
  ...(secret !== undefined && confidential(hashOf(secret))),
});

const confidential = (secretHash: string): Pick<ClientMetadata, 'client_secret' | 'token_endpoint_auth_method'> => ({
  token_endpoint_auth_method: 'client_secret_basic',
  client_secret: secretHash,
});

const toInfo = (client: ClientMetadata, managedBy: OAuthClientInfo['managedBy']): OAuthClientInfo => ({
  clientId: client.client_id,
  name: client.client_name ?? client.client_id,
  redirectUris: client.redirect_uris ?? [],
  isConfidential: client.client_secret !== undefined,
  managedBy,
});

const toStoredInfo = (row: Selectable<OAuthTables['oauth_client']>): OAuthClientInfo => ({
  ...toInfo(metadata.parse(JSON.parse(row.metadata)), row.origin),
  created: new Date(row.created_at).toISOString(),
  ...(row.last_used_at !== null && { lastUsed: new Date(row.last_used_at).toISOString() }),
});
