import { errors } from 'oidc-provider';
import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider';
import { hashOf } from '../tokens/artifact-keys.ts';
import type { ArtifactKeys } from '../tokens/artifact-keys.ts';
import type { Artifact, ArtifactStore } from '../tokens/artifact-store.ts';
import type { ClientStore } from '../clients/client-store.ts';

export interface AdapterOptions {
  artifacts: ArtifactStore;
  clients: ClientStore;
  keys: ArtifactKeys;
}

/** How the library of the protocol keeps its state in our database. */
export const adapters =
  (options: AdapterOptions): AdapterFactory =>
  (model) =>
    model === 'Client' ? clientAdapter(options) : artifactAdapter(model, options);

/** What anyone can have written without signing in, and how many of each are kept. */
const ofAnyone = ['Session', 'Interaction', 'DeviceCode'];
const mostOfAnyone = 20_000;
/** So many writes pass before they are counted. */
const countEvery = 500;

function artifactAdapter(model: string, { artifacts, clients, keys }: AdapterOptions): Adapter {
  let written = 0;
  // The id of a grant is no credential, and what was issued under it names it.
  const keyOf = (id: string): string => (model === 'Grant' ? id : keys.keyOf(id));
  return {
    async upsert(id, payload, expiresIn) {
      await artifacts.write(toArtifact(model, keyOf(id), { payload, expiresIn }));
      written += 1;
      if (ofAnyone.includes(model) && written % countEvery === 0) await artifacts.dropSuperfluous(model, mostOfAnyone);
      if (model === 'Grant' && payload.clientId !== undefined) await clients.noteUse(payload.clientId);
    },
    async find(id) {
      const artifact = await artifacts.find(model, keyOf(id));
      return artifact && toPayload(artifact, { jti: id });
    },
    async findByUserCode(userCode) {
      const artifact = await artifacts.findByUserCode(model, hashOf(userCode));
      return artifact && toPayload(artifact, { jti: keys.referenceTo(artifact.id), userCode });
    },
    // Asked only for sessions that outlive a browser's, which there are none of.
    findByUid: async () => undefined,
    async consume(id) {
      if (await artifacts.consume(model, keyOf(id))) return;
      // Two requests with one code or token at the same moment: a reuse as much as one after the other.
      const artifact = await artifacts.find(model, keyOf(id));
      if (artifact?.grant_id) await artifacts.revokeGrant(artifact.grant_id);
      throw new errors.InvalidGrant('already used');
    },
    destroy: (id) => artifacts.remove(model, keyOf(id)),
    revokeByGrantId: (grantId) => artifacts.revokeGrant(grantId, model),
  };
}

const nothing = async (): Promise<undefined> => undefined;

function clientAdapter({ clients }: AdapterOptions): Adapter {
  return {
    upsert: (id, { client_secret: secret, ...client }) =>
      clients.register({ ...client, client_id: id, ...(secret !== undefined && { client_secret: hashOf(secret) }) }),
    find: (id) => clients.find(id),
    findByUserCode: nothing,
    findByUid: nothing,
    consume: nothing,
    destroy: nothing,
    revokeByGrantId: nothing,
  };
}

function toArtifact(
  model: string,
  id: string,
  { payload, expiresIn }: { payload: AdapterPayload; expiresIn: number | undefined },
): Omit<Artifact, 'consumed_at'> {
  const { jti: _jti, userCode, consumed: _consumed, ...rest } = payload;
  return {
    model,
    id,
    payload: JSON.stringify(rest),
    grant_id: payload.grantId ?? null,
    user_code: userCode === undefined ? null : hashOf(userCode),
    account_id: payload.accountId ?? null,
    client_id: payload.clientId ?? null,
    expires_at: expiresIn === undefined ? null : Date.now() + expiresIn * 1000,
  };
}

const toPayload = (artifact: Artifact, held: { jti: string; userCode?: string }): AdapterPayload => ({
  ...JSON.parse(artifact.payload),
  ...held,
  ...(artifact.expires_at !== null && { exp: Math.floor(artifact.expires_at / 1000) }),
  ...(artifact.consumed_at !== null && { consumed: Math.floor(artifact.consumed_at / 1000) }),
});
